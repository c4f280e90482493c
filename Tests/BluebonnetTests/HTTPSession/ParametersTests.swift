// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

/// What verbs do with parameters; what parameters become is the business of the serializers' own tests.
@Suite(.timeLimit(.minutes(1))) struct ParametersTests {
    private struct User: Codable, Equatable, Sendable {
        var name: String
        var age: Int
    }

    private let transport = StubTransport()

    private func api(_ serializer: any RequestSerializer = HTTPRequestSerializer()) throws -> HTTPSession {
        var api = HTTPSession(baseURL: try Peer.url("http://h/v1"), transport: self.transport)
        api.requestSerializer = serializer
        return api
    }

    private func sent() throws -> (target: String, contentType: String?, body: String) {
        let request = try #require(self.transport.requests.last)
        let body = try request.body.collect()
        return (request.target, request.headers[.contentType], String(buffer: body))
    }

    @Test func `go into the query`() async throws {
        let api = try self.api()
        _ = try await api.get("p?a=1#f", parameters: ["b": [1, 2], "c": "d e"])
        #expect(try self.sent().target == "/v1/p?a=1&b%5B%5D=1&b%5B%5D=2&c=d%20e")
        try await api.delete("p", parameters: ["a": "b"])
        #expect(try self.sent().target == "/v1/p?a=b")
        _ = try await api.head("p", parameters: ["a": true])
        #expect(try self.sent().target == "/v1/p?a=1")
    }

    @Test func `go into a form`() async throws {
        let api = try self.api()
        try await api.post("p", parameters: ["b": 1, "a": "x y"])
        #expect(try self.sent() == ("/v1/p", "application/x-www-form-urlencoded", "a=x%20y&b=1"))
        try await api.put("p", parameters: ["a": 1])
        #expect(try self.sent().body == "a=1")
        try await api.patch("p", parameters: ["a": 1])
        #expect(try self.sent().body == "a=1")
    }

    @Test func `go into JSON`() async throws {
        try await self.api(.json).post("p", parameters: ["a": [1, nil, "x"] as ParameterValue])
        #expect(try self.sent() == ("/v1/p", "application/json", #"{"a":[1,null,"x"]}"#))
    }

    @Test func `may be a value of any encodable type`() async throws {
        let user = User(name: "Ada", age: 36)
        let name = "Ada"
        let api = try self.api()
        _ = try await api.get("p", parameters: user)
        #expect(try self.sent().target == "/v1/p?age=36&name=Ada")
        try await api.post("p", parameters: user)
        #expect(try self.sent().body == "age=36&name=Ada")
        try await api.post("p", parameters: ["name": name])
        #expect(try self.sent().body == "name=Ada")
        try await self.api(.json).put("p", parameters: user)
        let body = try self.sent().body
        #expect(try JSONDecoder().decode(User.self, from: Data(body.utf8)) == user)
    }

    @Test func `may be a value that was made before`() async throws {
        let value: ParameterValue = ["a": ["b": .date(Date(timeIntervalSince1970: 0))]]
        let api = try self.api()
        _ = try await api.get("p", parameters: value)
        let direct = try self.sent().target
        let optional: ParameterValue? = value
        _ = try await api.get("p", parameters: optional)
        #expect(try self.sent().target == direct)
        let none: User? = nil
        _ = try await api.get("p", parameters: none)
        #expect(try self.sent().target == "/v1/p")
        try await api.post("p", parameters: none)
        #expect(try self.sent() == ("/v1/p", nil, ""))
    }

    @Test func `variables, optionals and literals go together, in every verb`() async throws {
        let page = 2
        let ids = [3, 5]
        let name: String? = nil
        let api = try self.api()
        let expected = "ids%5B%5D=3&ids%5B%5D=5&page=2"
        _ = try await api.get("p", parameters: ["page": page, "ids": ids, "name": name])
        #expect(try self.sent().target == "/v1/p?\(expected)")
        _ = try await api.head("p", parameters: ["page": page, "ids": ids, "name": name])
        #expect(try self.sent().target == "/v1/p?\(expected)")
        try await api.delete("p", parameters: ["page": page, "ids": ids, "name": name])
        #expect(try self.sent().target == "/v1/p?\(expected)")
        try await api.post("p", parameters: ["page": page, "ids": ids, "name": name])
        #expect(try self.sent().body == expected)
        try await api.put("p", parameters: ["page": page, "ids": ids, "name": name])
        #expect(try self.sent().body == expected)
        try await api.patch("p", parameters: ["page": page, "ids": ids, "name": name])
        #expect(try self.sent().body == expected)
    }

    @Test func `a query stands beside a body, and before the parameters of a GET`() async throws {
        let api = try self.api(.json)
        try await api.post("p?a=1", query: ["notify": true], parameters: User(name: "Ada", age: 36))
        #expect(try self.sent() == ("/v1/p?a=1&notify=1", "application/json", #"{"age":36,"name":"Ada"}"#))
        _ = try await api.get("p", query: ["a": 1], parameters: ["b": 2])
        #expect(try self.sent().target == "/v1/p?a=1&b=2")
        try await api.put("p", query: ["a": 1], body: .data(Data("x".utf8)))
        #expect(try self.sent() == ("/v1/p?a=1", nil, "x"))
    }

    @Test func `a key that is given twice is an error of the call`() async throws {
        let api = try self.api()
        for parameters in [["a": 1, "a": 2], ["b": ["a": 1, "a": 2] as Parameters]] as [Parameters] {
            let error = await #expect(throws: SessionError.self) { try await api.get("p", parameters: parameters) }
            #expect(error?.code == .serializationFailed)
            await #expect(throws: SessionError.self) { try await api.get("p", query: parameters) }
        }
        #expect(self.transport.requests.isEmpty)
    }

    @Test func `are refused where they cannot be written`() async throws {
        struct Unwritable: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Double.nan)
            }
        }
        let api = try self.api(.json)
        let error = await #expect(throws: SessionError.self) {
            try await api.post("p", parameters: ["a": Double.nan])
        }
        #expect(error?.code == .serializationFailed)
        #expect(error?.isRequestSent == false)
        await #expect(throws: SessionError.self) { try await api.post("p", parameters: Unwritable()) }
        #expect(self.transport.requests.isEmpty)
    }

    @Test func `come with the default header fields of the serializer`() async throws {
        _ = try await self.api().get("p")
        let headers = try #require(self.transport.requests.last).headers
        #expect(headers[.userAgent]?.isEmpty == false)
    }
}
