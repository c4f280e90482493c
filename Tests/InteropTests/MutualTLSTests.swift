// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

/// Client certificates, and single versions of TLS, against OpenSSL inside nginx.
@Suite(.timeLimit(.minutes(1)))
struct MutualTLSTests {
    private static func get(
        _ url: URL?,
        of server: ExternalServer,
        _ change: (inout TLSOptions) throws -> Void = { _ in }
    ) async throws -> (response: TransportResponse, tls: TLSDetails?) {
        var configuration = NIOTransport.Configuration()
        configuration.tls.additionalRoots = [.pemFile(try #require(server.root))]
        try change(&configuration.tls)
        let transport = NIOTransport(configuration: configuration)
        let origin = Origin(scheme: .https, host: "localhost", port: try #require(url?.port))
        let result: Result<TransportResponse, any Error>
        do {
            result = .success(try await transport.exchange(TransportRequest(origin: origin, target: "/")))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        let response = try result.get()
        return (response, response.metrics.tls)
    }

    @Test func `a client certificate is accepted in every form`() async throws {
        try await ExternalServer.run(.mutual) { server in
            func file(_ name: String) -> ClientIdentity.Source {
                .file(server.files.deletingLastPathComponent().appending(path: name).path())
            }
            let identities: [ClientIdentity] = [
                .pem(certificates: file("client.pem"), key: file("client.key")),
                .pem(certificates: file("client.pem"), key: file("encrypted.key"), passphrase: "secret"),
                .pkcs12(file("client.p12"), passphrase: "secret"),
            ]
            for identity in identities {
                let response = try await Self.get(server.https, of: server) { $0.clientIdentity = identity }.response
                #expect(response.status == .noContent)
                #expect(response.headers[HTTPField.Name("X-Client")!] == "CN=a client")
            }
            // nginx finishes the handshake without one, and refuses the request.
            let refused = try await Self.get(server.https, of: server).response
            #expect(refused.status.code == 400)
        }
    }

    @Test func `each version is spoken, and a server without one in common is named`() async throws {
        try await ExternalServer.run(.mutual) { server in
            let old = try await Self.get(server.only12, of: server)
            #expect(old.tls?.version == .tls12)
            #expect(old.tls?.cipherSuite?.description.hasPrefix("TLS_ECDHE_RSA_WITH_") == true)
            let new = try await Self.get(server.only13, of: server)
            #expect(new.tls?.version == .tls13)
            let name = new.response.headers[HTTPField.Name("X-Cipher")!]
            #expect(name != nil && new.tls?.cipherSuite?.description == name)
            for (url, version) in [(server.only12, TLSOptions.Version.tls13), (server.only13, .tls12)] {
                let error = await #expect(throws: TransportError.self) {
                    try await Self.get(url, of: server) { ($0.minimumVersion, $0.maximumVersion) = (version, version) }
                }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason.contains("version of TLS") == true, "\(error?.reason ?? "")")
            }
        }
    }

    @Test func `roots of one's own are enough`() async throws {
        try await ExternalServer.run(.mutual) { server in
            let root = try #require(server.root)
            let response = try await Self.get(server.only13, of: server) { options in
                options.additionalRoots = []
                options.trust = try X509TrustEvaluator(anchors: [.pemFile(root)])
            }
            #expect(response.response.status == .noContent)
            #expect(response.tls?.isVerified == false)
        }
    }
}
