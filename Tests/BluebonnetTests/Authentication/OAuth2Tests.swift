// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct OAuth2Tests {
    static let client = OAuth2.Client(id: "my app", secret: "s:3%+")

    /// Asks an endpoint that gives one answer; gives the token and the request.
    private func refresh(
        _ answer: String,
        status: Int = 200,
        _ oauth: OAuth2? = nil,
        from token: AccessToken? = AccessToken("old", refreshToken: "r 1")
    ) async throws -> (token: AccessToken, request: TransportRequest) {
        let transport = StubTransport { request in
            if request.target == "/token" { return .plain(answer, status: status) }
            return .plain("", status: request.headers[.authorization] == "Bearer old" ? 401 : 200)
        }
        let url = try Peer.url("https://login/token")
        let tokens = TokenSource(oauth ?? .refreshToken(endpoint: url, client: Self.client), token: token)
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        let session = Session(configuration: configuration, transport: transport)
        _ = try await session.response(for: AuthenticationStageTests.request())
        let request = try #require(transport.requests.first { $0.target == "/token" })
        return (try #require(tokens.token), request)
    }

    private func form(_ request: TransportRequest) -> String {
        if case .bytes(let bytes) = request.body { String(buffer: bytes) } else { "" }
    }

    @Test func `a refresh token is sent as RFC 6749 section 6 says, and kept unless there is a new one`() async throws {
        let answer = #"{"access_token": "new", "token_type": "bearer", "expires_in": 3600}"#
        let (token, request) = try await self.refresh(answer)
        #expect(token.value == "new" && token.refreshToken == "r 1" && token.lifetime == .seconds(3600))
        #expect(self.form(request) == "grant_type=refresh_token&refresh_token=r+1")
        #expect(request.method == .post && request.headers[.contentType] == "application/x-www-form-urlencoded")
        // Section 2.3.1: the parts are encoded before they are joined.
        let basic = Data("my+app:s%3A3%25%2B".utf8).base64EncodedString()
        #expect(request.headers[.authorization] == "Basic \(basic)")
        let rotated = try await self.refresh(#"{"access_token":"n","token_type":"Bearer","refresh_token":"r2"}"#).token
        #expect(rotated.refreshToken == "r2" && rotated.lifetime == nil)
    }

    @Test(arguments: [true, false])
    func `the cookies of the endpoint go into the jar of the session, and back to it`(_ handles: Bool) async throws {
        let transport = StubTransport { request in
            guard request.target == "/token" else {
                return .plain("", status: request.headers[.authorization] == "Bearer last" ? 200 : 401)
            }
            let isFirst = request.headers[.cookie] == nil
            return .plain(
                #"{"access_token": "\#(isFirst ? "next" : "last")", "token_type": "bearer", "refresh_token": "r"}"#,
                headers: isFirst ? [.setCookie: "device=1; Secure; Path=/token"] : [:]
            )
        }
        let url = try Peer.url("https://login/token")
        let jar = CookieJar()
        var configuration = Session.Configuration()
        configuration.cookies = jar
        let authenticator = OAuth2.refreshToken(endpoint: url, client: Self.client)
        let token = AccessToken("old", refreshToken: "r")
        configuration.authentication = .tokens(
            TokenSource(authenticator, token: token),
            for: AuthenticationStageTests.home
        )
        let session = Session(configuration: configuration, transport: transport)
        var request = try AuthenticationStageTests.request()
        // It is about this request, and not about that of the endpoint, which all calls of the session share.
        if !handles { request.options.handlesCookies = false }
        #expect(try await session.response(for: request).status == .unauthorized)
        #expect(jar.cookies(for: url).map(\.name) == ["device"])
        #expect(try await session.response(for: request).status == .ok)
        let sent = transport.requests.filter { $0.target == "/token" }.map { $0.headers[.cookie] }
        #expect(sent == [nil, "device=1"])
        #expect(transport.requests.filter { $0.target != "/token" }.allSatisfy { $0.headers[.cookie] == nil })
    }

    @Test func `client credentials are asked for with a scope, and may be sent in the form`() async throws {
        let client = OAuth2.Client(id: "app", secret: "s", authentication: .form)
        let url = try Peer.url("https://login/token")
        let answer = #"{"access_token": "new", "token_type": "Bearer", "expires_in": "60"}"#
        let oauth = OAuth2.clientCredentials(endpoint: url, client: client, scope: ["read", "a/b"])
        let (token, request) = try await self.refresh(answer, oauth, from: nil)
        #expect(self.form(request) == "grant_type=client_credentials&scope=read+a%2Fb&client_id=app&client_secret=s")
        #expect(request.headers[.authorization] == nil)
        #expect(token.lifetime == .seconds(60))
    }

    @Test(arguments: [
        (400, #"{"error": "invalid_request"}"#, OAuth2Error.Code.invalidRequest),
        (401, #"{"error": "invalid_client", "error_description": "no"}"#, .invalidClient),
        (400, #"{"error": "invalid_grant"}"#, .invalidGrant),
        (400, #"{"error": "unauthorized_client"}"#, .unauthorizedClient),
        (400, #"{"error": "unsupported_grant_type"}"#, .unsupportedGrantType),
        (400, #"{"error": "invalid_scope"}"#, .invalidScope), (400, #"{"error": "other"}"#, OAuth2Error.Code("other")),
        (500, "<html>", .invalidResponse), (302, "", .invalidResponse), (200, "<html>", .invalidResponse),
        (200, #"{"token_type": "bearer"}"#, .invalidResponse),
        (200, #"{"access_token": "", "token_type": "bearer"}"#, .invalidResponse),
        (200, #"{"access_token": "a"}"#, .unsupportedTokenType),
        (200, #"{"access_token": "a", "token_type": "mac"}"#, .unsupportedTokenType), (200, "[]", .invalidResponse),
    ])
    func `an error of the endpoint has a code`(_ status: Int, _ answer: String, _ code: OAuth2Error.Code) async throws {
        let error = await #expect(throws: SessionError.self) { try await self.refresh(answer, status: status) }
        #expect(error?.code == .authenticationFailed)
        #expect((error?.underlying as? OAuth2Error)?.code == code)
        #expect(error?.status == .unauthorized)
    }

    /// Only what the endpoint says about the refresh token ends it (RFC 6749 section 5.2, `invalid_grant`).
    @Test(arguments: [
        (400, #"{"error": "invalid_grant"}"#, false), (400, #"{"error": "invalid_request"}"#, true),
        (401, #"{"error": "invalid_client"}"#, true), (503, #"{"error": "temporarily_unavailable"}"#, true),
        (500, #"{"error": "server_error"}"#, true), (500, "<html>", true), (429, "", true), (408, "", true),
        (302, "", true), (403, "<html>blocked", true), (200, "<html>", true), (200, #"{"access_token": "a"}"#, true),
    ])
    func `a refresh token is kept until it is refused`(_ status: Int, _ answer: String, _ isKept: Bool) async throws {
        let forms = Recorder<String>()
        let transport = StubTransport { request in
            guard request.target == "/token" else {
                return .plain("", status: request.headers[.authorization] == "Bearer new" ? 200 : 401)
            }
            forms.record(self.form(request))
            return forms.elements.count == 1
                ? .plain(answer, status: status) : .plain(#"{"access_token": "new", "token_type": "bearer"}"#)
        }
        let oauth = OAuth2.refreshToken(endpoint: try Peer.url("https://login/token"), client: Self.client)
        let tokens = TokenSource(oauth, token: AccessToken("old", refreshToken: "r"))
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        let session = Session(configuration: configuration, transport: transport)
        await #expect(throws: SessionError.self) { try await session.response(for: AuthenticationStageTests.request()) }
        #expect((tokens.token != nil) == isKept)
        let second = try? await session.response(for: AuthenticationStageTests.request())
        #expect((second?.status == .ok) == isKept)
        #expect(forms.elements.count == (isKept ? 2 : 1))
    }

    @Test func `an empty refresh token is none`() async throws {
        let answer = #"{"access_token": "new", "token_type": "bearer", "refresh_token": ""}"#
        #expect(try await self.refresh(answer).token.refreshToken == "r 1")
    }

    /// What a session has for every request is meant for the origin of the call, and not for the token endpoint.
    @Test(arguments: [("https://login/token", false), ("http://h/token", true)])
    func `the session's own fields do not go to the endpoint of another origin`(
        _ url: String,
        _ isHome: Bool
    ) async throws {
        let transport = StubTransport { request in
            if request.target == "/token" { return .plain("fresh") }
            return .plain("", status: request.headers[.authorization] == "Bearer fresh" ? 200 : 401)
        }
        let authenticator = FakeAuthenticator { _, context in
            let response = try await context.response(for: Request(url: try Peer.url(url)))
            return AccessToken(String(decoding: response.body, as: UTF8.self))
        }
        var configuration = Session.Configuration()
        let key = try #require(HTTPField.Name("X-Api-Key"))
        configuration.headers = [key: "s3cret", .userAgent: "app"]
        configuration.transportOptions.trailers = { [key: "s3cret"] }
        configuration.authentication = .tokens(TokenSource(authenticator), for: AuthenticationStageTests.home)
        let session = Session(configuration: configuration, transport: transport)
        #expect(try await session.response(for: AuthenticationStageTests.request()).status == .ok)
        let request = try #require(transport.requests.first { $0.target == "/token" })
        #expect(request.headers[.userAgent] == "app")
        #expect((request.headers[key] != nil) == isHome)
        #expect((request.trailers != nil) == isHome)
    }

    @Test(arguments: ["-1", "1e400", "\"x\"", "null", "1e30", "[]", "1.5"])
    func `no lifetime of an endpoint is too strange`(_ text: String) async throws {
        let answer = #"{"access_token": "new", "token_type": "bearer", "expires_in": \#(text)}"#
        #expect(try await self.refresh(answer).token.value == "new")
    }

    @Test(.bug(id: "F413"), arguments: ["0", "-1", "\"0\"", "1e-9"])
    func `a token whose lifetime is not positive is sent until it is refused`(_ lifetime: String) async throws {
        let (refreshes, refusals) = (Recorder<Bool>(), Recorder<String>())
        let transport = StubTransport { request in
            guard request.target == "/token" else {
                let field = request.headers[.authorization] ?? ""
                return .plain("", status: refusals.elements.contains(field) ? 401 : 200)
            }
            refreshes.record(true)
            let token = "t\(refreshes.elements.count)"
            return .plain(#"{"access_token": "\#(token)", "token_type": "bearer", "expires_in": \#(lifetime)}"#)
        }
        let oauth = OAuth2.clientCredentials(endpoint: try Peer.url("https://login/token"), client: Self.client)
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(TokenSource(oauth), for: AuthenticationStageTests.home)
        let session = Session(configuration: configuration, transport: transport)
        for _ in 0..<8 { #expect(try await session.response(for: AuthenticationStageTests.request()).status == .ok) }
        #expect(refreshes.elements.count == 1)
        refusals.record("Bearer t1")
        #expect(try await session.response(for: AuthenticationStageTests.request()).status == .ok)
        #expect(refreshes.elements.count == 2)
    }

    @Test func `there is an error without a refresh token, and without TLS`() async throws {
        let missing = await #expect(throws: SessionError.self) { try await self.refresh("", from: AccessToken("old")) }
        #expect((missing?.underlying as? OAuth2Error)?.code == .noRefreshToken)
        let insecure = try await self.errorWithoutTLS("http://login/")
        #expect(insecure == .insecureEndpoint)
    }

    /// The error of an endpoint that is reached over plain http, whose response is none of a token endpoint.
    private func errorWithoutTLS(_ url: String) async throws -> OAuth2Error.Code? {
        let plain = OAuth2.clientCredentials(endpoint: try Peer.url("\(url)token"), client: Self.client)
        let error = await #expect(throws: SessionError.self) { try await self.refresh("", plain) }
        return (error?.underlying as? OAuth2Error)?.code
    }

    @Test(
        .bug(id: "F689"),
        arguments: [
            ("http://localhost/", true), ("http://127.0.0.1:8080/", true), ("http://127.5.6.7/", true),
            ("http://[::1]/", true), ("http://app.localhost/", false), ("http://127.0.0.1.example/", false),
            ("http://[::2]/", false),
        ]
    )
    func `an endpoint without TLS must be on this machine`(_ url: String, _ isAccepted: Bool) async throws {
        #expect(try await self.errorWithoutTLS(url) == (isAccepted ? .invalidResponse : .insecureEndpoint))
    }
}
