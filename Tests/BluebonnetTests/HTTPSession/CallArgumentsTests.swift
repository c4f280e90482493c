// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import NIOCore
import Synchronization
import Testing

/// What a call sends besides its parameters: bodies, header fields, options.
@Suite(.timeLimit(.minutes(1))) struct CallArgumentsTests {
    private let transport = StubTransport()

    private func api(_ base: String = "http://h/v1") throws -> HTTPSession {
        try HTTPSession(base, transport: self.transport)
    }

    private func sent() throws -> TransportRequest { try #require(self.transport.requests.last) }

    // MARK: Bodies

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
    func `a call without parameters has neither a body nor a media type`(_ method: HTTPRequest.Method) async throws {
        _ = try await self.api().prepare(method, "p").response()
        #expect(try self.sent().headers[.contentType] == nil)
        #expect(try self.sent().body.collect().readableBytes == 0)
    }

    @Test(arguments: [
        ("a.json", "application/json"), ("a.PNG", "image/png"), ("a", "application/octet-stream"),
    ])
    func `a file has the type of its name unless told otherwise`(_ name: String, _ type: String) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file(name)
        try Data("x".utf8).write(to: file)
        for serializer in [HTTPRequestSerializer(), JSONRequestSerializer()] as [any RequestSerializer] {
            var api = try self.api()
            api.requestSerializer = serializer
            try await api.put("p", body: .file(file))
            #expect(try self.sent().headers[values: .contentType] == [type])
            try await api.put("p", body: .file(file), headers: [.contentType: "text/own"])
            #expect(try self.sent().headers[values: .contentType] == ["text/own"])
        }
    }

    @Test func `a body that is a form is sent as a form`() async throws {
        var form = MultipartFormData(boundary: "B")
        form.append("v", name: "n")
        try await self.api().post("p", parameters: ["a": 1], body: .multipart(form))
        #expect(try self.sent().headers[.contentType] == form.contentType)
        let body = String(buffer: try self.sent().body.collect())
        #expect(body.contains("name=\"a\"\r\n\r\n1\r\n"))
        #expect(body.contains("name=\"n\"\r\n\r\nv\r\n"))
    }

    @Test func `two bodies are refused`() async throws {
        let api = try self.api()
        let body = RequestBody.data(Data())
        let calls: [() throws -> PreparedCall] = [
            { try api.prepare(.post, "p", parameters: ["a": 1], body: body) },
            { try api.prepare(.get, "p", parameters: ["a": 1], body: body) },
            { try api.prepare(.post, "p", parameters: [:], body: body) },
            { try api.prepare(.post, "p", body: body, multipart: MultipartFormData()) },
            { try api.prepare(.post, "p", body: .multipart(MultipartFormData()), multipart: MultipartFormData()) },
        ]
        for call in calls {
            let error = #expect(throws: SessionError.self) { try call() }
            #expect(error?.code == .invalidRequest)
        }
    }

    // MARK: Header fields

    @Test func `header fields are literals, dictionaries or HTTPFields`() throws {
        var api = try self.api()
        api.requestSerializer = HTTPRequestSerializer(defaultHeaders: [:])
        func sent(_ headers: any HeaderFields) throws -> [String] {
            try api.prepare(.get, "p", headers: headers).request.headers.map(\.description)
        }
        let key = "k"
        let none: String? = nil
        #expect(try sent(["X-Api-Key": key, "accept": "a/b", "X-None": none]) == ["accept: a/b", "X-Api-Key: k"])
        #expect(try sent([.accept: "c/d", .range: none]) == ["Accept: c/d"])
        #expect(try sent([.userAgent: none]) == [])
        #expect(try sent(Dictionary(uniqueKeysWithValues: [("X-Api-Key", key)])) == ["X-Api-Key: k"])
        var fields = HTTPFields()
        fields.append(HTTPField(name: .accept, value: "a"))
        fields.append(HTTPField(name: .accept, value: "b"))
        #expect(try sent(fields) == ["Accept: a", "Accept: b"])
    }

    @Test(arguments: [
        ["": "v"], ["a b": "v"], ["a:": "v"], [":path": "/"], ["a\n": "v"], ["X-A": "a\r\nX-B: c"], ["X-A": "a\u{0}"],
        ["X-A": "1", "x-a": "2"], ["ä": "v"],
    ])
    func `header fields that cannot be sent are refused`(_ headers: [String: String]) async throws {
        let api = try self.api()
        let error = await #expect(throws: SessionError.self) { try await api.get("p", headers: headers) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("X-B") != true)
        #expect(self.transport.requests.isEmpty)
    }

    @Test(
        .bug(id: "F651"),
        arguments: [
            ("X-Key", " a ", "the value of the header field “X-Key” holds white space at its beginning or end"),
            ("X-Key", "a\n", "the value of the header field “X-Key” holds a line break or another forbidden character"),
            ("X Key", "a", #"the name of the header field "X Key" is not a token"#),
            ("X-Key: s3cret", "", #"the name of the header field "X-Key" is not a token"#),
            ("a\n", "a", #"the name of the header field "a\n" is not a token"#),
        ]
    )
    func `a header field is refused with the fault in it`(_ name: String, _ value: String, _ reason: String) throws {
        let api = try self.api()
        let error = #expect(throws: SessionError.self) { try api.prepare(.get, "p", headers: [name: value]) }
        #expect(error?.reason == reason)
        var fields: HTTPFields = [.accept: "a"]
        let same = #expect(throws: SessionError.self) { try fields.setValue(value, for: name) }
        #expect(same?.reason == reason)
        #expect(fields == [.accept: "a"])
    }

    @Test(.bug(id: "F647")) func `a value is set as it is, or refused`() throws {
        var fields = HTTPFields()
        try fields.setValue("Bearer t", for: .authorization)
        try fields.setValue("k", for: "X-Api-Key")
        #expect(fields == [.authorization: "Bearer t", try #require(HTTPField.Name("X-Api-Key")): "k"])
        for secret in ["t\n", "t\r\nX-Evil: 1", "a\nb", "a\u{0}", "a\u{7F}"] {
            let error = #expect(throws: SessionError.self) {
                try fields.setValue("Bearer \(secret)", for: .authorization)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.description.contains("Bearer") == false)
            #expect(fields[.authorization] == "Bearer t")
        }
        try fields.setValue(nil, for: "x-api-key")
        #expect(fields == [.authorization: "Bearer t"])
    }

    @Test func `the types that a serializer reads are asked for`() async throws {
        let answer = StubTransport { _ in .plain("{}", headers: [.contentType: "application/json"]) }
        var api = try HTTPSession("http://h", transport: answer)
        func accept() throws -> [String] { try #require(answer.requests.last).headers[values: .accept] }
        _ = try await api.get("p", as: EmptyBody.self)
        #expect(try accept() == ["application/json, text/javascript, text/json"])
        _ = try await api.post("p", serializer: .json)
        #expect(try accept() == ["application/json, text/javascript, text/json"])
        _ = try await api.get("p", headers: [.accept: "a/b"], as: EmptyBody.self)
        #expect(try accept() == ["a/b"])
        _ = try await api.get("p", serializer: .string)
        #expect(try Set(accept()).isSubset(of: ["*/*"]))
        _ = try await api.get("p")
        #expect(try Set(accept()).isSubset(of: ["*/*"]))
        let types: Set<String> = ["text/*", "application/*+json", "*/*", "x", "a/b\n", "application/json"]
        _ = try await api.get(
            "p",
            serializer: JSONResponseSerializer(validation: ResponseValidation(contentTypes: types))
        )
        #expect(try accept() == ["*/*, application/json, text/*"])
        _ = try await api.stream("p", validation: ResponseValidation(contentTypes: ["application/json"]))
        #expect(try accept() == ["application/json"])
        var serializer = HTTPRequestSerializer()
        try serializer.setValue("d/e", forHeader: "Accept")
        api.requestSerializer = serializer
        _ = try await api.get("p", as: EmptyBody.self)
        #expect(try accept() == ["d/e"])
    }

    /// F6: what a serializer sends to its own service is not for another one.
    @Test(arguments: ["https://h/p", "http://h:81/p", "http://other.example/p"])
    func `only public fields of a serializer leave the origin of the base URL`(_ text: String) async throws {
        var serializer = JSONRequestSerializer()
        try serializer.setAuthorization(username: "u", password: "p")
        try serializer.setValue("secret", forHeader: "X-Api-Key")
        try serializer.setValue("id=1", forHeader: "Cookie")
        try serializer.setValue("agent", forHeader: "User-Agent")
        try serializer.setValue("de", forHeader: "Accept-Language")
        try serializer.setValue("a/b", forHeader: "Accept")
        var api = try self.api()
        api.requestSerializer = serializer
        let url = try Peer.url(text)
        let away = try api.prepare(.post, url, parameters: ["a": 1], headers: ["X-Mine": "1"]).request
        let names = Set(away.headers.map(\.name.rawName))
        #expect(names == ["User-Agent", "Accept-Language", "Accept", "Content-Type", "X-Mine"])
        let home = try api.prepare(.post, Peer.url("http://h/other"), parameters: ["a": 1]).request
        #expect(home.headers[.authorization] != nil)
        #expect(home.headers[.cookie] == "id=1")
        let bare = HTTPSession(session: api.session)
        var free = bare
        free.requestSerializer = serializer
        #expect(try free.prepare(.get, text).request.headers[.authorization] != nil)
    }

    // MARK: Options

    @Test func `options and the timeout of a call go over those of the session`() throws {
        var api = try self.api()
        api.options.timeoutInterval = .seconds(3)
        api.options.totalTimeout = .seconds(4)
        var options = RequestOptions()
        options.timeoutInterval = .seconds(1)
        options.usesPipelining = true
        let request = try api.prepare(.get, "p", options: options).request
        #expect(request.options.timeoutInterval == .seconds(1))
        #expect(request.options.totalTimeout == .seconds(4))
        #expect(request.options.usesPipelining == true)
        let brief = try api.prepare(.get, "p", options: options, timeout: .seconds(2)).request
        #expect(brief.options.totalTimeout == .seconds(2))
        #expect(try api.prepare(.get, "p").request.options == api.options)
    }
}
