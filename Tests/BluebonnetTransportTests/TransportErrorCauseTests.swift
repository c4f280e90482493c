// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The causes that failures of real exchanges name for programs.
@Suite(.timeLimit(.minutes(1))) struct TransportErrorCauseTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var steps: [ScriptedPeer.Step]
        var scheme = Origin.Scheme.https
        var proxyUserInfo: String?
        var cause: TransportError.Cause?

        /// A peer that answers the first bytes of a handshake with an alert (RFC 8446 section 6).
        static func alert(_ number: UInt8, _ cause: TransportError.Cause?) -> Case {
            Case(
                testDescription: "alert \(number)",
                steps: [.read(5), .send([21, 3, 3, 0, 2, 2, number])],
                cause: cause
            )
        }

        /// A proxy that refuses a tunnel with challenges.
        static func proxy(_ userInfo: String, _ challenges: String..., cause: TransportError.Cause) -> Case {
            let fields = challenges.map { "Proxy-Authenticate: \($0)\r\n" }.joined()
            return Case(
                testDescription: "a proxy with “\(userInfo)”: \(challenges.joined(separator: ", "))",
                steps: [.readHead, .send("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\(fields)\r\n"), .close],
                proxyUserInfo: userInfo,
                cause: cause
            )
        }
    }

    static let cases: [Case] = [
        .alert(40, .handshakeRefused), .alert(48, .clientCertificateRefused), .alert(112, nil),
        .alert(116, .clientCertificateMissing),
        Case(testDescription: "plain text", steps: [.read(5), .send("HTTP/1.1 400 Bad\r\n\r\n")], cause: .notTLS),
        Case(testDescription: "SSH", steps: [.readHead, .send("SSH-2.0-x\r\n")], scheme: .http, cause: .notHTTP),
        Case(testDescription: "closed", steps: [.readHead, .close], scheme: .http, cause: nil),
        .proxy("", "Basic realm=x", cause: .proxyCredentialsMissing),
        .proxy("ada:secret@", "Basic realm=x", cause: .proxyCredentialsRefused),
        .proxy("ada:secret@", "NTLM", "Basic realm=x", cause: .proxyCredentialsRefused),
        .proxy("", "Negotiate", "NTLM", cause: .proxySchemesUnsupported),
        .proxy("ada:secret@", "Negotiate", "NTLM", cause: .proxySchemesUnsupported),
    ]

    @Test(.bug(id: "F820"), .bug(id: "F823"), arguments: Self.cases)
    func `a failure names its cause`(_ example: Case) async throws {
        try await ScriptedPeer.run(example.steps) { peer in
            var configuration = NIOTransport.Configuration()
            if let userInfo = example.proxyUserInfo {
                configuration.proxy = .fixed(try Proxy("http://\(userInfo)127.0.0.1:\(peer.port)"))
            }
            let origin = Origin(scheme: example.scheme, host: "127.0.0.1", port: peer.port)
            let error = try await Self.failure(configuration, origin)
            #expect(error.cause == example.cause, "\(error)")
            #expect(!error.reason.contains("secret"))
            if error.cause == .proxySchemesUnsupported {
                #expect(error.reason.hasSuffix("accepts only authentication that is not supported: negotiate, ntlm"))
                #expect(error.code == .proxyAuthenticationRequired && error.proxyStatus == 407)
            }
        }
    }

    @Test(.bug(id: "F820"), arguments: [("/nothing/there", true), (nil, false)])
    func `a Unix socket is told from a port`(_ path: String?, _ isSocket: Bool) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.unixSocketPath = path
        let origin = Origin(scheme: .http, host: "127.0.0.1", port: try await refusedPort())
        let error = try await Self.failure(configuration, origin)
        #expect(error.code == .connectFailed)
        #expect(error.cause == (isSocket ? .unixSocketUnreachable : nil))
    }

    @Test(.bug(id: "F820"), arguments: [EMFILE, ENFILE, ECONNREFUSED])
    func `a shortage of descriptors is one if every address has met it`(_ code: CInt) throws {
        let addresses = try ["127.0.0.1", "::1"].map { try SocketAddress(ipAddress: $0, port: 1) }
        let failures = AddressFailures(
            failures: addresses.map { ($0, IOError(errnoCode: code, reason: "socket")) }
        )
        let error = TransportError(connecting: failures, to: .host("localhost", port: 1))
        #expect(error.cause == (code == ECONNREFUSED ? nil : .descriptorsExhausted))
    }

    private static func failure(
        _ configuration: NIOTransport.Configuration,
        _ origin: Origin
    ) async throws -> TransportError {
        let transport = NIOTransport(configuration: configuration)
        let error = await #expect(throws: TransportError.self) {
            try await transport.exchange(TransportRequest(origin: origin, target: "/"))
        }
        await transport.shutdown()
        return try #require(error)
    }
}
