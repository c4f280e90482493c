// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// No credential crosses an origin, whatever leads there: `Fixtures/credential-origins.json` has the matrix.
@Suite(.timeLimit(.minutes(1))) struct CredentialOriginTests {
    struct Matrix: Decodable {
        var homes: [String]
        /// URLs of other origins: another scheme, another host, another port.
        var others: [String]
        /// Those that a secure cookie of the first home belongs to as well: cookies know no ports (RFC 6265 section 8.5).
        var cookieHosts: [String]
        var statuses: [Int]
        var challenges: [String]
        var fields: [String]
        var secrets: [String]
    }

    enum Source: String, CaseIterable, Sendable {
        case password, basic, preemptive, digest, token, tokens, store, netrc, userInformation, request, field,
            sessionField
        case cookie
    }

    /// The policy that knows the home origin, and the request to it.
    private func prepared(
        _ source: Source,
        _ home: String,
        _ matrix: Matrix
    ) throws -> (AuthenticationPolicy, Request) {
        let url = try Peer.url(home)
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
            let text = home.replacing("://", with: "://ada:s3cret@", maxReplacements: 1)
            return (.anonymous, Request(url: try Peer.url(text)))
        case .request:
            request.authentication = .password("ada", "s3cret")
            return (.anonymous, request)
        case .field:
            for name in matrix.fields { request.headers[try #require(HTTPField.Name(name))] = "s3cret" }
            return (.anonymous, request)
        case .sessionField, .cookie: return (.anonymous, request)
        }
    }

    /// A session with one source of credentials.
    private func session(
        _ source: Source,
        _ policy: AuthenticationPolicy,
        _ matrix: Matrix,
        _ transport: any Transport
    ) throws -> Session {
        var configuration = Session.Configuration()
        configuration.authentication = policy
        configuration.redirects.allowsDowngrade = true
        if source == .cookie { configuration.cookies = CookieJar() }
        if source == .sessionField {
            for name in matrix.fields { configuration.headers[try #require(HTTPField.Name(name))] = "s3cret" }
        }
        return Session(configuration: configuration, transport: transport)
    }

    @Test(arguments: Source.allCases) func `a redirect takes no credential to another origin`(
        _ source: Source
    ) async throws {
        let matrix = try Fixture.load("credential-origins", as: Matrix.self)
        for home in matrix.homes {
            let (policy, request) = try self.prepared(source, home, matrix)
            let origin = try RequestTarget(request.url).origin
            for other in matrix.others {
                let url = try Peer.url(other.contains("://") ? other : "https:\(other)")
                guard try RequestTarget(url).origin != origin else { continue }
                // A cookie is for a host, and a secure one for all its ports.
                if source == .cookie, matrix.cookieHosts.contains(other) || home != matrix.homes[0] { continue }
                for status in matrix.statuses {
                    let transport = self.redirecting(source, from: origin, status, to: other, matrix)
                    let session = try self.session(source, policy, matrix, transport)
                    let response = try await session.response(for: request)
                    #expect(response.status == .unauthorized)
                    let strayed = transport.requests.filter { $0.origin != origin }
                    #expect(!strayed.isEmpty, "\(home) \(other) \(status)")
                    self.expectNoSecret(in: strayed, matrix)
                    // What the session has learnt at home is not used elsewhere, also when it is asked for directly. A netrc file and
                    // user information name what they are for by themselves, and a session's own fields are for whatever it is asked.
                    guard source != .netrc, source != .sessionField, !other.contains("@evil.test") else { continue }
                    _ = try await session.response(for: Request(url: url))
                    self.expectNoSecret(in: transport.requests.filter { $0.origin != origin }, matrix)
                }
            }
        }
    }

    /// A home that asks for credentials and then redirects, and others that ask for them in vain.
    private func redirecting(
        _ source: Source,
        from home: Origin,
        _ status: Int,
        to other: String,
        _ matrix: Matrix
    ) -> StubTransport {
        let needsNone = [.field, .sessionField, .cookie].contains(source)
        return StubTransport { request in
            guard request.origin == home, needsNone || request.headers[.authorization] != nil else {
                var response = TransportResponse.plain("", status: 401)
                for challenge in matrix.challenges {
                    response.headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
                }
                return response
            }
            var response = TransportResponse.plain("", status: status, headers: [.location: other])
            if source == .cookie { response.headers[.setCookie] = "__Host-sid=s3cret; Secure; Path=/" }
            return response
        }
    }

    @Test(arguments: Source.allCases, [302, 307])
    func `a redirect over sockets takes no credential to another port of the host`(
        _ source: Source,
        _ status: Int
    ) async throws {
        let matrix = try Fixture.load("credential-origins", as: Matrix.self)
        // A cookie belongs to every port of its host.
        guard source != .cookie else { return }
        try await TestServer.withServer { other in
            var challenges = HTTPFields()
            for challenge in matrix.challenges {
                challenges.append(HTTPField(name: .wwwAuthenticate, value: challenge))
            }
            other.respond(to: "/end") { [challenges] _ in ScriptedResponse(status: .unauthorized, headers: challenges) }
            try await TestServer.withServer { home in
                let needsNone = [.field, .sessionField].contains(source)
                let location = "\(other.url)/end"
                home.respond(to: "/start") { [challenges] request in
                    needsNone || request.headers[.authorization] != nil
                        ? ScriptedResponse(status: .init(code: status), headers: [.location: location])
                        : ScriptedResponse(status: .unauthorized, headers: challenges)
                }
                let (policy, request) = try self.prepared(source, "\(home.url)/start", matrix)
                let transport = try home.makeTransport()
                let session = try self.session(source, policy, matrix, transport)
                #expect(try await session.response(for: request).status == .unauthorized)
                await transport.shutdown()
            }
            let seen = try await other.takeRequest()
            for field in seen.headers {
                #expect(!matrix.fields.contains { $0.lowercased() == field.name.canonicalName }, "\(field.name)")
                for secret in matrix.secrets { #expect(!field.value.contains(secret)) }
            }
            #expect(other.untakenRequestCount == 0)
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
