// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPSessionTests {
    private struct Item: Codable, Equatable, Sendable {
        var name: String
    }

    /// A call of a verb, and the request it should make.
    struct Call: Sendable, CustomTestStringConvertible {
        var method: HTTPRequest.Method
        var testDescription: String
        var run: @Sendable (HTTPSession) async throws -> Bool

        init(
            _ method: HTTPRequest.Method,
            _ name: String,
            _ run: @escaping @Sendable (HTTPSession) async throws -> Bool
        ) {
            self.method = method
            self.testDescription = "\(method.rawValue) \(name)"
            self.run = run
        }
    }

    private static let item = Item(name: "a")

    static let calls: [Call] = [
        Call(.get, "as") { try await $0.get("p", as: Item.self) == item },
        Call(.get, "serializer") { try await $0.get("p", serializer: HTTPResponseSerializer()).count == 12 },
        Call(.get, "response") { try await $0.get("p").status == .ok },
        Call(.head, "response") { try await $0.head("p").status == .ok },
        Call(.delete, "as") { try await $0.delete("p", as: Item.self) == item },
        Call(.delete, "serializer") {
            try await $0.delete("p", serializer: HTTPResponseSerializer()).count == 12
        },
        Call(.delete, "response") { try await $0.delete("p").status == .ok },
        Call(.post, "as") { try await $0.post("p", as: Item.self) == item },
        Call(.post, "serializer") { try await $0.post("p", serializer: HTTPResponseSerializer()).count == 12 },
        Call(.post, "response") { try await $0.post("p").status == .ok },
        Call(.put, "as") { try await $0.put("p", as: Item.self) == item },
        Call(.put, "serializer") { try await $0.put("p", serializer: HTTPResponseSerializer()).count == 12 },
        Call(.put, "response") { try await $0.put("p").status == .ok },
        Call(.patch, "as") { try await $0.patch("p", as: Item.self) == item },
        Call(.patch, "serializer") {
            try await $0.patch("p", serializer: HTTPResponseSerializer()).count == 12
        },
        Call(.patch, "response") { try await $0.patch("p").status == .ok },
    ]

    private func api(_ transport: StubTransport) throws -> HTTPSession {
        HTTPSession(baseURL: try Peer.url("http://h/v1"), transport: transport)
    }

    private static func json(status: Int = 200) -> StubTransport {
        StubTransport { _ in .plain(#"{"name":"a"}"#, status: status, headers: [.contentType: "application/json"]) }
    }

    @Test(arguments: Self.calls)
    func `sends with every verb`(_ call: Call) async throws {
        let transport = Self.json()
        #expect(try await call.run(self.api(transport)))
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(request.method == call.method)
        #expect(request.target == "/v1/p")
        #expect(request.origin.description == "http://h")
    }

    @Test func `a method that is kept has the settings that its client had`() async throws {
        let transport = Self.json()
        var api = try self.api(transport)
        let post = api.post
        api.requestSerializer = .json
        try await post("p", parameters: ["a": 1])
        try await api.post("p", parameters: ["a": 1])
        let types = transport.requests.map { $0.headers[.contentType] }
        #expect(types == ["application/x-www-form-urlencoded", "application/json"])
    }

    @Test(arguments: Self.calls)
    func `refuses an error status with every verb`(_ call: Call) async throws {
        let api = try self.api(Self.json(status: 422))
        let error = await #expect(throws: SessionError.self) { try await call.run(api) }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status.code == 422)
        #expect(error?.response?.body == Data(#"{"name":"a"}"#.utf8))
        #expect(error?.request?.method == call.method)
        #expect(error?.isRequestSent == true)
    }

    @Test(arguments: Self.calls)
    func `is cancelled with the task that calls a verb`(_ call: Call) async throws {
        let transport = StubTransport { _ in try await untilCancelled() }
        let api = try self.api(transport)
        let task = Task { try await call.run(api) }
        while transport.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `replaces header fields with those of the call`() throws {
        var api = try self.api(Self.json())
        api.requestSerializer = Defaults()
        let headers: HTTPFields = [.contentType: "text/x", .acceptLanguage: "de"]
        let request = try api.prepare(.post, "p", headers: headers).request
        #expect(request.headers[values: .contentType] == ["text/x"])
        #expect(request.headers[values: .acceptLanguage] == ["de"])
        #expect(request.headers[values: .userAgent] == ["default"])
    }

    @Test(.bug(id: "F421")) func `the session's User-Agent and Accept are sent`() async throws {
        var configuration = Session.Configuration()
        configuration.headers = [.userAgent: "mine/1", .acceptLanguage: "de", .accept: "a/b"]
        let (transport, directory) = (Self.json(), try TemporaryDirectory())
        let base = try Peer.url("http://h/v1")
        var api = HTTPSession(baseURL: base, configuration: configuration, transport: transport)
        func sent() throws -> [String] {
            let headers = try #require(transport.requests.last).headers
            return headers[values: .userAgent] + headers[values: .acceptLanguage] + headers[values: .accept]
        }
        let json = ResponseValidation(contentTypes: JSONResponseSerializer.defaultContentTypes)
        _ = try await api.get("p", as: Item.self)
        #expect(try sent() == ["mine/1", "de", "a/b"])
        try await api.post("p", parameters: ["a": 1], serializer: .json)
        #expect(try sent() == ["mine/1", "de", "a/b"])
        _ = try await api.get(Peer.url("http://other.example/p"), as: Item.self)
        #expect(try sent() == ["mine/1", "de", "a/b"])
        _ = try await api.stream("p", validation: json)
        #expect(try sent() == ["mine/1", "de", "a/b"])
        var policy = DownloadPolicy()
        policy.validation = json
        _ = try await api.download("p", to: directory.file("a"), policy: policy)
        #expect(try sent() == ["mine/1", "de", "a/b"])
        // What belongs to the call or to its serializer takes precedence, and an event source reads one type only.
        _ = try await api.get("p", headers: [.userAgent: "call", .accept: "c/d"], as: Item.self)
        #expect(try sent() == ["call", "de", "c/d"])
        await #expect(throws: SessionError.self) { try await api.events("p") }
        #expect(try sent() == ["mine/1", "de", "text/event-stream"])
        api.requestSerializer = HTTPRequestSerializer(defaultHeaders: [.userAgent: "serializer", .accept: "e/f"])
        _ = try await api.get("p", as: Item.self)
        #expect(try sent() == ["serializer", "de", "e/f"])
    }

    @Test func `keeps all fields of one name`() throws {
        var headers: HTTPFields = [.accept: "a"]
        headers.append(HTTPField(name: .accept, value: "b"))
        var api = try self.api(Self.json())
        api.requestSerializer = Defaults()
        #expect(try api.prepare(.get, "p", headers: headers).request.headers[values: .accept] == ["a", "b"])
    }

    @Test func `refuses more header fields than can be sent`() throws {
        var headers = HTTPFields()
        for number in 0..<1001 { headers.append(HTTPField(name: .accept, value: "\(number)")) }
        let error = #expect(throws: SessionError.self) {
            try self.api(Self.json()).prepare(.get, "p", headers: headers)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `sends its options with every request`() throws {
        var api = try self.api(Self.json())
        api.options.timeoutInterval = .seconds(3)
        #expect(try api.prepare(.get, "p").request.options.timeoutInterval == .seconds(3))
    }

    @Test func `copies share a session and differ in the rest`() throws {
        let api = try self.api(Self.json())
        var copy = api
        copy.options.totalTimeout = .seconds(1)
        #expect(copy.session === api.session)
        #expect(api.options.totalTimeout == nil)
    }

    /// Sets three header fields unless they are there.
    private struct Defaults: RequestSerializer {
        func serialize(_ request: Request, parameters: ParameterValue?) throws(SerializationError) -> Request {
            var request = request
            for (name, value) in [
                (HTTPField.Name.userAgent, "default"), (.accept, "default"), (.acceptLanguage, "en"),
                (.contentType, "text/plain"),
            ] where request.headers[name] == nil {
                request.headers[name] = value
            }
            return request
        }
    }
}
