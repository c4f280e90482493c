// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct HeadersStageTests {
    /// Keeps what a network interceptor sees.
    private struct Looking: Interceptor {
        let seen: Recorder<HTTPFields>

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            self.seen.record(request.headers)
            return try await next(request)
        }
    }

    private func exchange(
        _ request: Request,
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) async throws -> (seen: HTTPFields, sent: HTTPFields) {
        let (transport, seen) = (StubTransport(), Recorder<HTTPFields>())
        var configuration = Session.Configuration()
        configuration.networkInterceptors = [Looking(seen: seen)]
        change(&configuration)
        _ = try await Session(configuration: configuration, transport: transport).response(for: request)
        return (try #require(seen.elements.first), try #require(transport.requests.first).headers)
    }

    @Test func `network interceptors see what is sent`() async throws {
        let request = Request(url: try Peer.url("http://user:secret@h/"))
        let (seen, sent) = try await self.exchange(request) { $0.headers = [.userAgent: "session"] }
        #expect(seen == sent)
        #expect(seen[.accept] == "*/*")
        #expect(seen[.acceptEncoding] == TransportRequest.decodableCodings.joined(separator: ", "))
        #expect(seen[.authorization] == "Basic dXNlcjpzZWNyZXQ=")
        #expect(seen[.userAgent] == "session")
    }

    @Test func `what a request carries stays`() async throws {
        let headers: HTTPFields = [
            .accept: "text/html", .acceptEncoding: "identity", .authorization: "Bearer x", .userAgent: "mine",
        ]
        let request = Request(url: try Peer.url("http://user:secret@h/"), headers: headers)
        #expect(try await self.exchange(request) { $0.headers = [.userAgent: "session"] }.sent == headers)
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .options, .trace, .put])
    func `the same fields are sent whether stages below have something to do or not`(
        _ method: HTTPRequest.Method
    ) async throws {
        let request = Request(method: method, url: try Peer.url("http://user:secret@h/"))
        var bare = Session.Configuration()
        bare.headers = [.userAgent: "session"]
        var full = bare
        full.cache = .memory()
        full.deduplication = .identical
        var sent: [HTTPFields] = []
        for configuration in [bare, full] {
            let transport = StubTransport()
            let response = try await Session(configuration: configuration, transport: transport).response(for: request)
            let fields = try #require(transport.requests.first).headers
            #expect(response.request?.headers == fields)
            let isCached = configuration.cache != nil
            let reason: CacheStatus.Forward = method == .get || method == .head ? .uriMiss : .method
            #expect(response.cacheStatus?.forward == (isCached ? reason : nil))
            sent.append(fields)
        }
        #expect(sent[0] == sent[1])
        #expect(sent[0][.userAgent] == "session")
    }

    @Test(arguments: [
        ("http://h/", true), ("http://h:80/x", true), ("http://H/", true), ("https://h/", false),
        ("http://h:81/", false), ("http://evil/", false), ("http://h.evil/", false),
    ])
    func `a session's own fields stay on the origin they are meant for`(_ url: String, _ isHome: Bool) async throws {
        var request = Request(url: try Peer.url(url))
        request.context[HomeOrigin.self] = HomeOrigin(origin: Origin(scheme: .http, host: "h"))
        var fields: HTTPFields = [.authorization: "Bearer x", .cookie: "a=b", .userAgent: "ua", .acceptLanguage: "de"]
        fields[try #require(HTTPField.Name("X-Api-Key"))] = "key"
        let sent = try await self.exchange(request) { $0.headers = fields }.sent
        #expect(sent[.userAgent] == "ua")
        #expect(sent[.acceptLanguage] == "de")
        #expect((sent[.authorization] != nil) == isHome)
        #expect((sent[.cookie] != nil) == isHome)
        #expect((sent[try #require(HTTPField.Name("X-Api-Key"))] != nil) == isHome)
    }
}
