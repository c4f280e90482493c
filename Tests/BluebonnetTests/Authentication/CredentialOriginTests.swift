// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// No credential crosses an origin, whatever leads there: `Fixtures/credential-origins.json` has the matrix.
@Suite(.timeLimit(.minutes(1))) struct CredentialOriginTests {
    struct Matrix: Decodable {
        var home: String
        /// URLs of other origins: another scheme, another host, another port.
        var others: [String]
        var statuses: [Int]
        var challenges: [String]
        var fields: [String]
        var secrets: [String]

        static func load() throws -> Matrix {
            let url = try #require(
                Bundle.module.url(forResource: "credential-origins", withExtension: "json", subdirectory: "Fixtures")
            )
            return try JSONDecoder().decode(Matrix.self, from: Data(contentsOf: url))
        }
    }

    enum Source: String, CaseIterable, Sendable {
        case password, basic, preemptive, digest, token, tokens, store, netrc, userInformation, request, field
    }

    /// The policy that knows the home origin, and the request to it.
    private func prepared(_ source: Source, _ matrix: Matrix) throws -> (AuthenticationPolicy, Request) {
        let url = try Peer.url(matrix.home)
        let origin = try RequestTarget(url).origin
        var request = Request(url: url)
        switch source {
        case .password: return (.password("ada", "s3cret", for: origin), request)
        case .basic: return (.basic("ada", "s3cret", for: origin), request)
        case .preemptive: return (.basic("ada", "s3cret", for: origin, isPreemptive: true), request)
        case .digest: return (.digest("ada", "s3cret", for: origin), request)
        case .token: return (.bearer("s3cret", for: origin), request)
        case .tokens: return (.bearer(for: origin) { AccessToken("s3cret") }, request)
        case .store:
            let store = MemoryCredentialStore()
            store[ProtectionSpace(origin: origin, realm: "r")] = .password("ada", "s3cret")
            return (.stored(in: store), request)
        case .netrc:
            return (.netrc(try Netrc(parsing: Array("machine \(origin.host) login ada password s3cret".utf8))), request)
        case .userInformation:
            let text = matrix.home.replacing("://", with: "://ada:s3cret@", maxReplacements: 1)
            return (.none, Request(url: try Peer.url(text)))
        case .request:
            request.authentication = .password("ada", "s3cret")
            return (.none, request)
        case .field:
            for name in matrix.fields { request.headers[try #require(HTTPField.Name(name))] = "s3cret" }
            return (.none, request)
        }
    }

    @Test(arguments: Source.allCases) func `a redirect takes no credential to another origin`(
        _ source: Source
    ) async throws {
        let matrix = try Matrix.load()
        let (policy, request) = try self.prepared(source, matrix)
        let home = try RequestTarget(request.url).origin
        for other in matrix.others {
            for status in matrix.statuses {
                let transport = StubTransport { request in
                    let isKnown = request.origin == home && request.headers[.authorization] != nil
                    guard isKnown || source == .field && request.origin == home else {
                        var response = TransportResponse.plain("", status: 401)
                        for challenge in matrix.challenges {
                            response.headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
                        }
                        return response
                    }
                    return .plain("", status: status, headers: [.location: other])
                }
                var configuration = Session.Configuration()
                configuration.authentication = policy
                configuration.redirects.allowsDowngrade = true
                let session = Session(configuration: configuration, transport: transport)
                let response = try await session.response(for: request)
                #expect(response.status == .unauthorized)
                let strayed = transport.requests.filter { $0.origin != home }
                #expect(!strayed.isEmpty, "\(other) \(status)")
                self.expectNoSecret(in: strayed, matrix)
                // What the session has learnt at home is not used elsewhere, also when it is asked for directly. A netrc file and user
                // information name what they are for by themselves.
                guard source != .netrc, !other.contains("@evil.test") else { continue }
                _ = try await session.response(
                    for: Request(url: try Peer.url(other.contains("://") ? other : "https:\(other)"))
                )
                self.expectNoSecret(in: transport.requests.filter { $0.origin != home }, matrix)
            }
        }
    }

    private func expectNoSecret(in requests: [TransportRequest], _ matrix: Matrix) {
        for request in requests {
            for field in request.headers {
                #expect(
                    !matrix.fields.contains { $0.lowercased() == field.name.canonicalName },
                    "\(request.origin) \(field.name)"
                )
                for secret in matrix.secrets { #expect(!field.value.contains(secret)) }
            }
            for secret in matrix.secrets { #expect(!request.target.contains(secret)) }
        }
    }
}
