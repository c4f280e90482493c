// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

/// A literal whose values have one type could also be a dictionary, in which a nil value is a value, and which traps for
/// equal keys.
///
/// An argument whose type is known without the function made the compiler choose the function for it, so each case
/// has such arguments.
@Suite(.timeLimit(.minutes(1))) struct ParameterLiteralTests {
    private let transport = StubTransport { _ in .plain("{}", headers: [.contentType: "application/json"]) }
    private let api: HTTPSession
    private let name: String? = "Ada"
    private let nick: String? = nil
    private let query: Parameters = ["q": 1]
    private let form = MultipartFormData(boundary: "B")
    private let fields = HTTPFields()
    private let options = RequestOptions()
    private let limit = Duration.seconds(5)
    private let progress: @Sendable (TransferProgress) -> Void = { _ in }

    init() throws {
        self.api = HTTPSession(baseURL: try Peer.url("http://h/v1"), transport: self.transport)
    }

    /// Expects that the last request has the name and not the nick.
    private func expectName(_ comment: Comment, at location: SourceLocation = #_sourceLocation) throws {
        let request = try #require(self.transport.requests.last)
        let text = request.target + String(buffer: try request.body.collect())
        #expect(text.contains("Ada"), comment, sourceLocation: location)
        #expect(!text.contains("nick"), comment, sourceLocation: location)
    }

    @Test(.bug(id: "F420")) func `a nil value omits its key in GET and HEAD, whatever the other arguments`()
        async throws
    {
        let (api, name, nick) = (self.api, self.name, self.nick)
        _ = try await api.get("p", parameters: ["full": name, "nick": nick])
        try self.expectName("alone")
        _ = try await api.get("p", parameters: ["full": name, "nick": nick], options: self.options)
        try self.expectName("options")
        _ = try await api.get("p", query: self.query, parameters: ["full": name, "nick": nick])
        try self.expectName("query")
        _ = try await api.get("p", parameters: ["full": name, "nick": nick], headers: self.fields)
        try self.expectName("headers")
        _ = try await api.get("p", parameters: ["full": name, "nick": nick], timeout: self.limit)
        try self.expectName("timeout")
        _ = try await api.get("p", parameters: ["full": name, "nick": nick], progress: self.progress)
        try self.expectName("progress")
        _ = try await api.get("p", parameters: ["full": name, "nick": nick], serializer: JSONResponseSerializer())
        try self.expectName("serializer")
        _ = try await api.get("p", parameters: ["full": name, "nick": nick], options: self.options, as: EmptyBody.self)
        try self.expectName("options, as")
        _ = try await api.get(
            "p",
            parameters: ["full": "Ada", "nick": nil],
            options: self.options,
            timeout: self.limit
        )
        try self.expectName("options, timeout, and a nil that is written in the literal")
        _ = try await api.head("p", parameters: ["full": name, "nick": nick], options: self.options)
        try self.expectName("HEAD options")
        _ = try await api.head(
            "p",
            parameters: ["full": name, "nick": nick],
            headers: self.fields,
            timeout: self.limit
        )
        try self.expectName("HEAD headers, timeout")
    }

    @Test(.bug(id: "F420"), arguments: 0..<4)
    func `a nil value omits its key in the other methods, whatever the other arguments`(_ index: Int) async throws {
        let save = [self.api.post, self.api.put, self.api.patch, self.api.delete][index]
        let (name, nick, form) = (self.name, self.nick, self.form)
        try await save("p", parameters: ["full": name, "nick": nick])
        try self.expectName("alone")
        try await save("p", parameters: ["full": name, "nick": nick], options: self.options)
        try self.expectName("options")
        try await save("p", parameters: ["full": name, "nick": nick], multipart: form)
        try self.expectName("multipart")
        try await save("p", parameters: ["full": name, "nick": nick], multipart: form, options: self.options)
        try self.expectName("multipart, options")
        try await save("p", query: self.query, parameters: ["full": name, "nick": nick], headers: self.fields)
        try self.expectName("query, headers")
        try await save("p", parameters: ["full": name, "nick": nick], timeout: self.limit, progress: self.progress)
        try self.expectName("timeout, progress")
        _ = try await save("p", parameters: ["full": name, "nick": nick], multipart: form, as: EmptyBody.self)
        try self.expectName("multipart, as")
        _ = try await save("p", parameters: ["full": name, "nick": nick], options: self.options, serializer: .json)
        try self.expectName("options, serializer")
    }

    @Test(.bug(id: "F420")) func `a nil value omits its key in a call that is prepared`() async throws {
        let (api, name, nick) = (self.api, self.name, self.nick)
        let calls = [
            try api.prepare(.post, "p", parameters: ["full": name, "nick": nick], options: self.options),
            try api.prepare(.post, "p", parameters: ["full": name, "nick": nick], multipart: self.form),
            try api.prepare(
                .get,
                "p",
                query: self.query,
                parameters: ["full": name, "nick": nick],
                timeout: self.limit
            ),
            try api.prepare(.put, "p", parameters: ["full": name, "nick": nick], headers: self.fields),
        ]
        for (index, call) in calls.enumerated() {
            _ = try await call.response()
            try self.expectName("call \(index)")
        }
    }

    @Test(.bug(id: "F420")) func `equal keys are an error of the call, whatever the other arguments`() async throws {
        let (api, name, key) = (self.api, self.name, "a")
        let calls: [() async throws -> Void] = [
            { _ = try await api.get("p", parameters: [key: name, key: name], options: self.options) },
            { _ = try await api.head("p", parameters: [key: name, key: name], headers: self.fields) },
            { try await api.post("p", parameters: [key: name, key: name], multipart: self.form) },
            {
                _ = try await api.put("p", parameters: [key: name, key: name], timeout: self.limit, as: EmptyBody.self)
            },
            { _ = try api.prepare(.get, "p", parameters: [key: name, key: name], options: self.options) },
        ]
        for call in calls {
            let error = await #expect(throws: SessionError.self) { try await call() }
            #expect(error?.code == .serializationFailed)
        }
        #expect(self.transport.requests.isEmpty)
    }

    @Test(.bug(id: "F424")) func `HEAD takes a value of any encodable type`() async throws {
        struct Filter: Encodable {
            var full = "Ada"
            var nick: String?
        }
        _ = try await self.api.head("p", parameters: Filter())
        try self.expectName("HEAD")
        _ = try await self.api.head("p", parameters: Filter(), options: self.options)
        try self.expectName("HEAD options")
        let none: Filter? = nil
        _ = try await self.api.head("p", parameters: none)
        #expect(self.transport.requests.last?.target == "/v1/p")
    }
}
