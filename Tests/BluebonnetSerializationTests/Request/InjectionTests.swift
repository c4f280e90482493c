// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

/// Whatever text a user passes as a key or a value, the bytes that go out mean that text and nothing else.
@Suite struct InjectionTests {
    static let texts = [
        "plain", "", "a\rb", "a\nb", "a\r\nX-Evil: 1\r\n\r\n", "a\u{0}b", "\"", "'", "\\", "a\"b\\\"c", "a&b=c", "a=b",
        "a#b?c",
        "a%00b%0D%0A", "100%", "a+b c", "[]", "a[b][]", "</string><key>evil</key>", "]]>", "<!-- -->", "&amp;&lt;",
        "\u{1}\u{1F}\u{7F}",
        "\u{2028}\u{2029}", "ünï 日本 😀", "e\u{301}", "x\u{FEFF}y", "\u{FFFD}", "-", "--B", "{}", "null", "\u{202E}",
    ]

    private let base = HTTPRequestSerializer(defaultHeaders: HTTPFields())

    /// The request with the text as a key, and as a value.
    private func request(
        _ text: String,
        _ method: HTTPRequest.Method,
        by serializer: some RequestSerializer
    ) throws -> Request {
        try serializer.makeRequest(
            method,
            "http://h/p",
            parameters: .dictionary(["k": .string(text), "x\(text)": "v"])
        )
    }

    @Test(arguments: Self.texts) func `in a query`(_ text: String) throws {
        let request = try self.request(text, .get, by: self.base)
        #expect(request.headers.isEmpty)
        #expect(request.url.host() == "h" && request.url.path() == "/p" && request.url.fragment() == nil)
        try Self.check(try #require(request.url.query()), text)
    }

    @Test(arguments: Self.texts) func `in a form`(_ text: String) throws {
        let request = try self.request(text, .post, by: self.base)
        #expect(request.headers.count == 1)
        try Self.check(String(decoding: try #require(request.body.data), as: UTF8.self), text)
    }

    /// Two pairs, in characters that mean nothing anywhere, that are read back.
    private static func check(_ query: String, _ text: String) throws {
        let isHarmless = query.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~/?%&=".utf8.contains(byte)
            }
        }
        #expect(isHarmless, "\(query)")
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.removingPercentEncoding ?? "?"
            }
        }
        #expect(
            pairs.map { $0.map { Array($0.utf8) } }
                == [["k", text], ["x\(text)", "v"]].map { $0.map { Array($0.utf8) } }
        )
    }

    @Test(arguments: Self.texts) func `in JSON`(_ text: String) throws {
        let request = try self.request(text, .post, by: JSONRequestSerializer(base: self.base))
        #expect(request.headers.count == 1)
        let body = try #require(request.body.data)
        #expect(body.allSatisfy { $0 >= 0x20 })
        let object = try #require(try JSONSerialization.jsonObject(with: body) as? [String: String])
        #expect(object == ["k": text, "x\(text)": "v"])
    }

    @Test(arguments: Self.texts, PropertyListRequestSerializer.Format.allCases)
    func `in a property list`(_ text: String, _ format: PropertyListRequestSerializer.Format) throws {
        let serializer = PropertyListRequestSerializer(format: format, base: self.base)
        let isForbidden = text.unicodeScalars.contains { $0.value < 0x20 && !["\t", "\n", "\r"].contains($0) }
        guard format == .binary || !isForbidden else {
            #expect(throws: SerializationError(.unencodableValue, reason: "")) {
                try self.request(text, .post, by: serializer)
            }
            return
        }
        let request = try self.request(text, .post, by: serializer)
        #expect(request.headers.count == 1)
        let body = try #require(request.body.data)
        if format == .xml { #expect(!body.contains(0x0D)) }
        let list = try PropertyListValue(parsing: body)
        #expect(list.dictionary?.count == 2)
        #expect(list["k"]?.string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(list["x\(text)"]?.string == "v")
        let foundation = try PropertyListDecoder().decode([String: String].self, from: body)
        #expect(foundation == ["k": text, "x\(text)": "v"])
    }
}
