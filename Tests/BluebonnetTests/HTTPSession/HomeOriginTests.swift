// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Where a session that was made for a base URL sends its secrets, whoever sends requests with it.
@Suite struct HomeOriginTests {
    enum Form: CaseIterable, Sendable {
        case response, stream, value, task, download, prepared

        func send(_ request: Request, of api: HTTPSession) async throws {
            let session = api.session
            switch self {
            case .response: _ = try await session.response(for: request)
            case .stream: _ = try await session.send(request).response()
            case .value: _ = try await session.value(for: request, serializer: .string)
            case .task:
                let task = session.dataTask(with: request, serializer: HTTPResponseSerializer())
                task.resume()
                _ = try await task.value
            case .download:
                let directory = try TemporaryDirectory()
                try await session.download(request, to: directory.file("a"))
            case .prepared: try await HTTPSession(session: session).prepare(.get, request.url).response()
            }
        }
    }

    /// An interceptor that replaces the request of the program, or its URL.
    private struct Moving: Interceptor {
        let url: URL
        let isNew: Bool

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var moved = self.isNew ? Request(url: self.url) : request
            moved.url = self.url
            return try await next(moved)
        }
    }

    private static let key = HTTPField.Name("X-Api-Key")

    private static func configuration() throws -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.headers = [.userAgent: "agent"]
        configuration.headers[try #require(Self.key)] = "secret"
        configuration.authentication = .bearer("token")
        configuration.transportOptions.clientIdentity = .pem(certificates: .file("client.pem"))
        return configuration
    }

    private static func check(_ request: TransportRequest?, isHome: Bool) throws {
        let request = try #require(request)
        #expect(request.headers[.userAgent] == "agent")
        #expect(request.headers[try #require(Self.key)] == (isHome ? "secret" : nil))
        #expect(request.headers[.authorization] == (isHome ? "Bearer token" : nil))
        #expect((request.clientIdentity != nil) == isHome)
    }

    @Test(.bug(id: "F736"), arguments: Form.allCases, [true, false])
    func `a request that the session is given directly has its secrets at the base URL only`(
        _ form: Form,
        _ isHome: Bool
    ) async throws {
        let transport = StubTransport()
        let api = try HTTPSession("https://h/v1", configuration: Self.configuration(), transport: transport)
        try await form.send(Request(url: Peer.url(isHome ? "https://h/x" : "https://cdn/x")), of: api)
        try Self.check(transport.requests.last, isHome: isHome)
    }

    @Test(.bug(id: "F736"), arguments: [false, true], [true, false])
    func `an interceptor does not take the secrets to another origin`(_ isNew: Bool, _ isHome: Bool) async throws {
        let transport = StubTransport()
        var configuration = try Self.configuration()
        let url = try Peer.url(isHome ? "https://h/moved" : "https://cdn/moved")
        configuration.interceptors = [Moving(url: url, isNew: isNew)]
        _ = try await HTTPSession("https://h/v1", configuration: configuration, transport: transport).get("x")
        try Self.check(transport.requests.last, isHome: isHome)
    }

    @Test(.bug(id: "F736")) func `a redirect between other origins does not make one of them the home`() async throws {
        let transport = StubTransport { request in
            let next = ["/1": "https://evil/2", "/2": "https://cdn/3", "/3": "https://h/4"][request.target]
            guard let next else { return .plain("") }
            return .plain("", status: 302, headers: [.location: next])
        }
        let api = try HTTPSession("https://h/v1", configuration: Self.configuration(), transport: transport)
        _ = try await api.session.response(for: Request(url: Peer.url("https://cdn/1")))
        #expect(transport.requests.map(\.origin.host) == ["cdn", "evil", "cdn", "h"])
        for request in transport.requests { try Self.check(request, isHome: request.origin.host == "h") }
    }

    @Test(.bug(id: "F736")) func `clients that share a session each have their own base URL`() async throws {
        let transport = StubTransport()
        let first = try HTTPSession("https://h/v1", configuration: Self.configuration(), transport: transport)
        let second = HTTPSession(baseURL: try Peer.url("https://other/"), session: first.session)
        for (api, host) in [(first, "h"), (second, "other")] {
            for text in ["https://h/x", "https://other/x"] {
                _ = try await api.get(Peer.url(text))
                let sent = transport.requests.last
                try Self.check(sent, isHome: sent?.origin.host == host)
            }
        }
    }

    @Test func `a session without a base URL sends its header fields to every origin`() async throws {
        let transport = StubTransport()
        var configuration = try Self.configuration()
        configuration.authentication = .anonymous
        let session = Session(configuration: configuration, transport: transport)
        for text in ["https://h/x", "https://cdn/x"] {
            _ = try await session.response(for: Request(url: Peer.url(text)))
            #expect(transport.requests.last?.headers[try #require(Self.key)] == "secret")
        }
    }
}
