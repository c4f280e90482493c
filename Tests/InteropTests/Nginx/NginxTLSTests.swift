// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

/// TLS as OpenSSL speaks it inside nginx, with a root that only the test knows.
@Suite(.timeLimit(.minutes(1)))
struct NginxTLSTests {
    /// How the root of the server's certificate is given.
    enum Root: CaseIterable {
        case none, file, bytes

        func certificates(of server: ExternalServer) throws -> [TLSOptions.Certificate] {
            let path = try #require(server.root)
            return switch self {
            case .none: []
            case .file: [.pemFile(path)]
            case .bytes: [.pem([UInt8](try Data(contentsOf: URL(filePath: path))))]
            }
        }
    }

    private static func withSession(
        trusting root: Root,
        minimumVersion: TLSOptions.Version = .tls12,
        _ body: (HTTPSession, ExternalServer) async throws -> Void
    ) async throws {
        try await ExternalServer.run(.nginx) { server in
            try server.write(patternedData(count: 300_000), as: "file.bin")
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.tls.additionalRoots = try root.certificates(of: server)
            configuration.tls.minimumVersion = minimumVersion
            let transport = NIOTransport(configuration: configuration)
            let http = HTTPSession(baseURL: server.https, transport: transport)
            let result: Result<Void, any Error>
            do { result = .success(try await body(http, server)) } catch { result = .failure(error) }
            await transport.shutdown()
            try result.get()
        }
    }

    @Test(arguments: [TLSOptions.Version.tls12, .tls13])
    func `trusts a server whose root was given as a file`(_ version: TLSOptions.Version) async throws {
        try await Self.withSession(
            trusting: .file,
            minimumVersion: version
        ) { http, _ in
            let response = try await http.get("file.bin")
            #expect(response.body == patternedData(count: 300_000))
        }
    }

    @Test
    func `trusts a server whose root was given as bytes`() async throws {
        try await Self.withSession(trusting: .bytes) { http, _ in
            for _ in 0..<10 {
                let response = try await http.get("file.bin")
                #expect(response.body.count == 300_000)
            }
        }
    }

    @Test
    func `refuses a server whose root it does not know`() async throws {
        try await Self.withSession(trusting: .none) { http, _ in
            let error = await #expect(throws: SessionError.self) { try await http.get("file.bin") }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.isRequestSent == false)
        }
    }

    @Test
    func `refuses a certificate that is for another name`() async throws {
        try await Self.withSession(trusting: .file) { http, server in
            let misnamed = HTTPSession(baseURL: server.misnamed, session: http.session)
            let error = await #expect(throws: SessionError.self) { try await misnamed.get("file.bin") }
            #expect(error?.code == .untrustedCertificate)
        }
    }

    @Test
    func `accepts a certificate that names an address`() async throws {
        try await Self.withSession(trusting: .file) { http, server in
            let port = try #require(server.https?.port)
            let address = HTTPSession(baseURL: URL(string: "https://127.0.0.1:\(port)"), session: http.session)
            let response = try await address.get("file.bin")
            #expect(response.status == .ok)
        }
    }

    @Test
    func `says what is wrong when a plain server is spoken to in TLS`() async throws {
        try await Self.withSession(trusting: .file) { http, server in
            let port = try #require(server.http.port)
            let wrong = HTTPSession(baseURL: URL(string: "https://localhost:\(port)"), session: http.session)
            let error = await #expect(throws: SessionError.self) { try await wrong.get("file.bin") }
            #expect(error?.code == .tlsFailed)
        }
    }
}
