// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import NIOCore
import Synchronization
import Testing

/// HTTP/2 through a proxy, which is itself spoken to in HTTP/1.1.
@Suite(.timeLimit(.minutes(1))) struct HTTP2ProxyTests {
    @Test(arguments: [Proxy.Scheme.http, .https, .socks5h], [true, false])
    func `shares one tunnel, also for plain HTTP2, and no field for a proxy gets through`(
        _ scheme: Proxy.Scheme,
        _ isSecure: Bool
    ) async throws {
        var engine = NIOTransport.Configuration()
        engine.proxyTLS.additionalRoots = [.pem(try CertificateAuthority.shared().pem)]
        engine.resolver = LoopbackResolver()
        try await HTTP2Server.run(tls: isSecure, engine: engine) {
            (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            var origin = origin
            origin.host = "localhost"
            let steps = ProxyRouteTests.steps(scheme, password: false, relayTo: server.port)
            let tls = scheme == .https ? try ScriptedPeer.context(authority: .shared()) : nil
            try await ScriptedPeer.run(steps, tls: tls) { [origin] peer in
                let proxy = ProxyConfiguration.fixed(Proxy(scheme: scheme, host: "localhost", port: peer.port))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            var request = ProxyRouteTests.request(origin, "/bytes/10")
                            request.proxy = proxy
                            let response = try await transport.exchange(request)
                            #expect(try await response.body.collect(upTo: 100).readableBytes == 10)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(transport.statistics.opened == 1)
                #expect(!peer.receivedText.contains("stolen"))
            }
            let fields = server.seen.withLock { $0.flatMap(\.fields) }
            #expect(fields.count(where: { $0 == "authorization: Bearer for-the-origin" }) == 20)
            #expect(!fields.contains { $0.hasPrefix("proxy-") || $0.contains("stolen") })
        }
    }
}
