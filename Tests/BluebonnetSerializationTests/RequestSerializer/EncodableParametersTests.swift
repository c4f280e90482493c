// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Testing

/// Variables and values of any type, wherever a serializer takes parameters.
@Suite struct EncodableParametersTests {
    private struct Search: Encodable {
        var page = 2
        var since: Date?
    }

    private let serializer = HTTPRequestSerializer()
    private let page = 2
    private let name: String? = nil

    @Test func `a request is made from variables, and nil leaves its key out`() throws {
        let literal = try self.serializer.makeRequest(
            .get,
            "http://h/",
            parameters: ["name": self.name, "page": self.page]
        )
        #expect(literal.url.absoluteString == "http://h/?page=2")
        let alone = try self.serializer.makeRequest(.get, "http://h/", parameters: ["name": self.name])
        #expect(alone.url.absoluteString == "http://h/")
        let parameters: Parameters = ["page": self.page]
        let variable = try self.serializer.makeRequest(.get, "http://h/", parameters: parameters)
        #expect(variable.url.absoluteString == "http://h/?page=2")
        let null = try self.serializer.makeRequest(.get, "http://h/", parameters: ["name": nil])
        #expect(null.url.absoluteString == "http://h/?name")
    }

    @Test func `a request is made from a value, with an encoder of its own`() throws {
        let made = try self.serializer.makeRequest(.get, "http://h/", encoding: Search())
        #expect(made.url.absoluteString == "http://h/?page=2")
        var encoder = ParameterEncoder()
        encoder.dates = .secondsSince1970
        let search = Search(since: Date(timeIntervalSince1970: 5))
        let encoded = try self.serializer.makeRequest(.get, "http://h/", encoding: search, encoder: encoder)
        #expect(encoded.url.absoluteString == "http://h/?page=2&since=5")
    }

    @Test func `queries and forms take variables`() throws {
        let request = try self.serializer.makeRequest(.post, "http://h/")
        let result = try self.serializer.serialize(request, query: ["name": self.name, "page": self.page])
        #expect(result.url.absoluteString == "http://h/?page=2")
        var (form, expected) = (MultipartFormData(), MultipartFormData())
        try form.append(parameters: ["name": self.name, "page": self.page])
        try expected.append(parameters: ["page": 2])
        #expect(form.contentLength == expected.contentLength)
    }
}
