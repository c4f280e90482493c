// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// A session against one server, for tests of trust.
struct TrustClient {
    let server: TestServer
    let session: Session

    /// Runs a server with a certificate, and a session that trusts some roots.
    static func run(
        tls: TestServer.TLS = TestServer.TLS(),
        roots: [[UInt8]]? = nil,
        _ change: (inout Session.Configuration, TestServer) throws -> Void = { _, _ in },
        _ body: (TrustClient) async throws -> Void
    ) async throws {
        try await TestServer.withServer(tls: tls) { server in
            var configuration = Session.Configuration()
            configuration.proxy = ProxyConfiguration.direct
            configuration.tls.additionalRoots = (roots ?? [server.certificateAuthority.pem]).map { .pem($0) }
            configuration.resolver = LoopbackResolver()
            try change(&configuration, server)
            try await Session.withSession(configuration: configuration) { session in
                try await body(TrustClient(server: server, session: session))
            }
        }
    }

    /// A request to the server by one of its names.
    func request(host: String = "localhost", scheme: String = "https", path: String = "/bytes/1") throws -> Request {
        Request(url: try Peer.url("\(scheme)://\(host):\(self.server.port)\(path)"))
    }

    /// Sends a request that has to be refused, and looks at the server's side for what it was not to see.
    @discardableResult
    func expectRefusal(
        _ request: Request? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> SessionError? {
        var request = try request ?? self.request()
        request.method = .post
        request.headers[.authorization] = "Bearer secret"
        request.body = .data(Data("secret".utf8))
        let error = await #expect(throws: SessionError.self, sourceLocation: sourceLocation) {
            try await self.session.response(for: request)
        }
        let counts = try await self.server.waitForConnections { $0.open == 0 }
        #expect(counts.requests == 0, sourceLocation: sourceLocation)
        #expect(self.server.untakenRequestCount == 0, sourceLocation: sourceLocation)
        #expect(error?.isRequestSent == false, sourceLocation: sourceLocation)
        return error
    }
}

/// Finds this machine under every name.
struct LoopbackResolver: NameResolver {
    func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
    }
}

extension CertificateIdentity {
    /// The certificates in DER.
    var der: [[UInt8]] {
        get throws { try TLSOptions.Certificate.pem(self.certificatePEM).readDER() }
    }

    /// The pin of one of the certificates.
    func pin(_ index: Int = 0) throws -> PublicKeyPin { try PublicKeyPin(certificate: try self.der[index]) }
}

extension CertificateAuthority {
    /// The root in DER.
    var der: [UInt8] {
        get throws { try TLSOptions.Certificate.pem(self.pem).readDER()[0] }
    }

    /// The pin of the root.
    var pin: PublicKeyPin { get throws { try PublicKeyPin(certificate: try self.der) } }
}

extension PublicKeyPin {
    /// A key that nobody has.
    static func nobody(_ number: UInt8 = 0) -> PublicKeyPin { .sha256([UInt8](repeating: number, count: 32)) }
}
