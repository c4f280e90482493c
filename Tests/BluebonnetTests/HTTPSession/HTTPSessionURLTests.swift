// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import Testing

@Suite struct HTTPSessionURLTests {
    private func api(_ base: String?) throws -> HTTPSession {
        HTTPSession(baseURL: try base.map { try #require(URL(string: $0)) }, transport: StubTransport())
    }

    @Test(arguments: [
        ("http://h", "http://h"),
        ("http://h/", "http://h/"),
        ("http://h/v1", "http://h/v1/"),
        ("http://h/v1/", "http://h/v1/"),
        ("http://h/v1?x=1", "http://h/v1/?x=1"),
        ("http://h/v1/?x=1", "http://h/v1/?x=1"),
        ("http://h/v1?x=/", "http://h/v1/?x=/"),
        ("http://h/v1#f", "http://h/v1/#f"),
        ("http://h?x=/a", "http://h?x=/a"),
        ("http://h#/a", "http://h#/a"),
        ("http://user:pass@h:8/a/b", "http://user:pass@h:8/a/b/"),
    ])
    func `ends the path of the base URL with a slash`(_ given: String, _ kept: String) throws {
        #expect(try self.api(given).baseURL?.absoluteString == kept)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var base: String?
        var path: String
        var url: String
        var testDescription: String { "\(self.base ?? "no base") + \(self.path)" }
    }

    @Test(arguments: [
        Case(base: "http://example.com/v1/", path: "foo", url: "http://example.com/v1/foo"),
        Case(base: "http://example.com/v1", path: "foo", url: "http://example.com/v1/foo"),
        Case(base: "http://example.com/v1/", path: "/foo", url: "http://example.com/foo"),
        Case(base: "http://example.com/v1/", path: "foo/", url: "http://example.com/v1/foo/"),
        Case(base: "http://example.com/v1/", path: "?a=b", url: "http://example.com/v1/?a=b"),
        Case(base: "http://example.com/v1/", path: "", url: "http://example.com/v1/"),
        Case(base: "http://example.com", path: "", url: "http://example.com"),
        Case(base: "http://example.com", path: "foo", url: "http://example.com/foo"),
        Case(base: "http://example.com/v1?x=1", path: "foo", url: "http://example.com/v1/foo"),
        Case(base: "http://example.com/v1/", path: "../foo", url: "http://example.com/foo"),
        Case(base: "http://example.com/v1/", path: "./a:b", url: "http://example.com/v1/a:b"),
        Case(base: "http://example.com/v1/", path: "//other.example/x", url: "http://other.example/x"),
        Case(base: "http://example.com/v1/", path: "https://other.example/x", url: "https://other.example/x"),
        Case(base: "http://example.com/v1/", path: "a b", url: "http://example.com/v1/a%20b"),
        Case(base: "http://example.com/v1/", path: "%zz", url: "http://example.com/v1/%25zz"),
        Case(base: nil, path: "http://example.com/x", url: "http://example.com/x"),
    ])
    func `resolves a path`(_ example: Case) throws {
        #expect(try self.api(example.base).url(for: example.path).absoluteString == example.url)
    }

    @Test(arguments: [nil, "http://example.com/"], ["a\nb", "a\rb", "a\u{0}b", "a\tb", "\u{7f}", "http://[::1"])
    func `refuses a path that is none`(_ base: String?, _ path: String) throws {
        let api = try self.api(base)
        let error = #expect(throws: SessionError.self) { try api.url(for: path) }
        #expect(error?.code == .invalidURL)
    }

    @Test(arguments: ["", "foo", "/foo", "//h/foo"])
    func `needs a base for a relative path`(_ path: String) async throws {
        let api = try self.api(nil)
        let error = await #expect(throws: SessionError.self) { try await api.get(path) }
        #expect(error?.code == .invalidURL)
    }
}
