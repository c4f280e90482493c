// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation

@testable import Bluebonnet

/// One session with every stage, the servers that it talks to, and a queue over it.
struct StormScene: Sendable {
    let session: Session
    let transport: NIOTransport
    /// The first speaks HTTP/1.1, the second HTTP/2 as well.
    let servers: [TestServer]
    let directory: TemporaryDirectory
    let queue: TransferQueue
    let monitor: ReachabilityMonitor
    let witness: StormWitness

    /// An engine without a proxy, that trusts the servers.
    static func engine(_ witness: StormWitness) -> NIOTransport.Configuration {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.observer = witness
        if let root = try? CertificateAuthority.shared().pem { configuration.tls.additionalRoots = [.pem(root)] }
        return configuration
    }

    static func run(_ operationCount: Int, _ body: (StormScene) async throws -> Void) async throws {
        let uploads = UploadOrigin()
        try await TestServer.withServer(configuration: StormServer.configuration(http2: false)) { first in
            let tls = TestServer.TLS(authority: try CertificateAuthority.shared())
            try await TestServer.withServer(tls: tls, configuration: StormServer.configuration(http2: true)) { second in
                StormServer.script(first, uploads, uploadCount: operationCount)
                StormServer.script(second, UploadOrigin(), uploadCount: 1)
                let witness = StormWitness()
                let session = Session(configuration: try Self.configuration(first, witness))
                guard let transport = session.transport as? NIOTransport else { throw StormFault("another engine") }
                let directory = try TemporaryDirectory()
                let queue = try await TransferQueue(at: directory.file("queue"), session: session)
                let scene = StormScene(
                    session: session,
                    transport: transport,
                    servers: [first, second],
                    directory: directory,
                    queue: queue,
                    monitor: ReachabilityMonitor(),
                    witness: witness
                )
                try await body(scene)
                for server in scene.servers { _ = server.takeFailures() }
            }
        }
    }

    private static func configuration(
        _ server: TestServer,
        _ witness: StormWitness
    ) throws -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.engine = Self.engine(witness)
        configuration.pool.maximumConnectionsPerOrigin = 8
        configuration.retries = .idempotent(attempts: 3)
        configuration.retries.backoff = .none
        configuration.retryBudget = nil
        configuration.deduplication = .identical
        configuration.cookies = CookieJar()
        configuration.cache = .memory(maximumByteCount: 1 << 20)
        configuration.interceptors = [StormInterceptor()]
        configuration.networkInterceptors = [StormInterceptor()]
        configuration.observers = [witness]
        configuration.maximumConcurrentRequests = 16
        configuration.rateLimit = RateLimit(download: 1 << 30, upload: 1 << 30)
        var limits = TokenSource.Options()
        limits.refreshLimit = .max
        let authenticator = StormAuthenticator(url: try Peer.url(server.url + "/token"))
        let origin = Origin(scheme: .http, host: server.host, port: server.port)
        configuration.authentication = .tokens(TokenSource(authenticator, options: limits), for: origin)
        return configuration
    }
}
