// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport

/// The conformance suites of the transports that this package has.
enum ConformanceSuites {
    static let overHTTP1 = TransportConformance.overHTTP { engine($0) }
    static let overHTTP2 = TransportConformance.overHTTP(server: http2) { _ in engineHTTP2() }
    static let overTLS1 = TransportConformance.overHTTPS { engine($0) }
    static let overTLS2 = TransportConformance.overHTTPS(server: http2) { engine($0) }
    static let recording = TransportConformance.overHTTP { RecordingTransport(wrapping: engine($0)) }
    static let stub = TransportConformance.inMemory { StubTransport($0) }

    /// An engine that trusts the server and takes no notice of the environment.
    static func engine(_ server: TestServer) -> NIOTransport {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.tls.additionalRoots.append(.pem(server.certificateAuthority.pem))
        return NIOTransport(configuration: configuration)
    }

    /// An engine that speaks HTTP/2 without TLS from its first byte.
    private static func engineHTTP2() -> NIOTransport {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.httpVersions = .http2
        return NIOTransport(configuration: configuration)
    }

    private static var http2: TestServer.Configuration {
        var configuration = TestServer.Configuration()
        configuration.http2 = TestServer.HTTP2()
        return configuration
    }
}
