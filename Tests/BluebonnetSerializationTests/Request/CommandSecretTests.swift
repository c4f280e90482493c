// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

/// Secrets in the commands of requests, where they are not easily found.
@Suite struct CommandSecretTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var headers: HTTPFields
        var body: Data
        var expected: String

        init(_ name: String, _ type: String?, coding: String? = nil, _ body: some Sequence<UInt8>, gives: String) {
            self.testDescription = name
            self.headers = HTTPFields()
            self.headers[.contentType] = type
            self.headers[.contentEncoding] = coding
            self.body = Data(body)
            self.expected = gives
        }
    }

    private static let json = "application/json"
    private static let form = "application/x-www-form-urlencoded"
    private static let lines = "application/x-ndjson"
    private static let left = "--data-raw REDACTED"

    private static func multipart(_ name: String) -> String.UTF8View {
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\ns3cr3t\r\n--b--".utf8
    }

    private static func check(_ example: Case) throws {
        let request = try Request(
            method: .post,
            parsing: "http://h/",
            headers: example.headers,
            body: .data(example.body)
        )
        let command = request.cURL()
        #expect(command.contains(example.expected), "\(command)")
        #expect(!command.contains("s3cr3t"))
        #expect(!request.cURL(redacting: .none).contains("REDACTED"))
    }

    @Test(
        .bug(id: "F180"),
        arguments: [
            Case("a comma too many", Self.json, #"{"password":"s3cr3t",}"#.utf8, gives: Self.left),
            Case(
                "a document that is too deep",
                Self.json,
                (String(repeating: "[", count: 200) + #"{"password":"s3cr3t"}"# + String(repeating: "]", count: 200))
                    .utf8,
                gives: Self.left
            ),
            Case("an escaped name", Self.json, #"{"pass\u0077ord":"s3cr3t",}"#.utf8, gives: Self.left),
            Case(
                "bytes that are not UTF-8",
                Self.json,
                Array(#"{"a":""#.utf8) + [0xFF] + Array(#"","token":"s3cr3t"}"#.utf8),
                gives: Self.left
            ),
            Case(
                "a type with half a parameter",
                "application/json; charset",
                #"{"token":"s3cr3t"}"#.utf8,
                gives: "token"
            ),
            Case(
                "a type with a wrong parameter",
                "application/json; =\"",
                #"{"token":"s3cr3t"}"#.utf8,
                gives: #"{"token":"REDACTED"}"#
            ),
            Case(
                "a form with a byte that is not UTF-8",
                Self.form,
                Array("a=ü&b=".utf8) + [0xFF] + Array("&password=s3cr3t".utf8),
                gives: "--data-raw 'a=%C3%BC&b=%FF&password=REDACTED'"
            ),
            Case("a compressed form", Self.form, coding: "gzip", "s3cr3t".utf8, gives: Self.left),
            Case(
                "a multipart form",
                "multipart/form-data; boundary=b",
                "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cr3t\r\n--b--".utf8,
                gives: Self.left
            ),
        ]
    )
    func `a body in which secrets cannot be told from the rest is left out`(_ example: Case) throws {
        try Self.check(example)
    }

    @Test(
        .bug(id: "F234"),
        arguments: [
            Case("a PIN", "multipart/form-data; boundary=b", Self.multipart("pin"), gives: Self.left),
            Case("a password", "multipart/form-data; boundary=b", Self.multipart("Pass"), gives: Self.left),
            Case("a signature", "multipart/form-data; boundary=b", Self.multipart("sig"), gives: Self.left),
            Case(
                "an authorization code",
                "multipart/form-data; boundary=b",
                Array(Self.multipart("code")) + Array(Self.multipart("grant_type")),
                gives: Self.left
            ),
            Case("text/json", "text/json", #"{"pwd":"s3cr3t"}"#.utf8, gives: #"'{"pwd":"REDACTED"}'"#),
            Case("malformed text/json", "text/json", #"{"pwd":"s3cr3t",}"#.utf8, gives: Self.left),
            Case("compressed text/json", "text/json", coding: "gzip", "s3cr3t".utf8, gives: Self.left),
            Case("another type", "text/plain", #"[{"token":"s3cr3t"}]"#.utf8, gives: #"'[{"token":"REDACTED"}]'"#),
            Case("no type", nil, #"{"token":"s3cr3t"}"#.utf8, gives: #"'{"token":"REDACTED"}'"#),
            Case("a compressed body of no type", nil, coding: "gzip", "s3cr3t".utf8, gives: Self.left),
            Case(
                "lines",
                Self.lines,
                "{\"token\":\"s3cr3t\"}\n\n{ \"page\" : 1 }\n".utf8,
                gives: "'{\"token\":\"REDACTED\"}\n\n{ \"page\" : 1 }\n'"
            ),
            Case(
                "lines of no type",
                nil,
                "{\"page\":1}\n{\"token\":\"s3cr3t\"}".utf8,
                gives: "'{\"page\":1}\n{\"token\":\"REDACTED\"}'"
            ),
            Case("a malformed line", Self.lines, "{\"token\":\"s3cr3t\"}\n{\"page\":".utf8, gives: Self.left),
        ]
    )
    func `secrets in a multipart form, and in JSON of any type, are hidden`(_ example: Case) throws {
        try Self.check(example)
    }

    @Test(arguments: [
        Case("JSON that is none", Self.json, #"{"page":1,}"#.utf8, gives: #"--data-raw '{"page":1,}'"#),
        Case("a form of bytes", Self.form, [0x61, 0x3D, 0xFF], gives: #"printf 'a=\377' | curl"#),
        Case(
            "a multipart form",
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"page\"\r\n\r\n1\r\n--b--".utf8,
            gives: "name"
        ),
        Case("text", "text/plain", "my password".utf8, gives: "--data-raw 'my password'"),
        Case("lines of text", "text/plain", "1\nmy password\n".utf8, gives: "'1\nmy password\n'"),
        Case("lines of JSON", Self.lines, "{ \"page\" : 1.0 }\n[2]".utf8, gives: "'{ \"page\" : 1.0 }\n[2]'"),
        Case("bytes of no type", nil, [0x31, 0x00], gives: #"printf '1\000' | curl"#),
        Case("a code that is not of OAuth", "multipart/form-data; boundary=b", Self.multipart("code"), gives: "code"),
    ])
    func `a body without secrets is written as it is`(_ example: Case) throws {
        let request = try Request(
            method: .post,
            parsing: "http://h/",
            headers: example.headers,
            body: .data(example.body)
        )
        #expect(request.cURL().contains(example.expected))
        #expect(request.cURL() == request.cURL(redacting: .none))
    }

    @Test(
        .bug(id: "F201"),
        arguments: [
            ("Referer", "https://ada:s3cr3t@h/?page=1", "Referer: https://REDACTED@h/?page=1"),
            ("Referer", "/a?token=s3cr3t&page=1", "Referer: /a?token=REDACTED&page=1"),
            ("Link", "<https://h/?token=s3cr3t>; rel=next", "Link: <https://h/?token=REDACTED>; rel=next"),
            ("X-Callback", "https://h/?token=s3cr3t", "X-Callback: https://h/?token=REDACTED"),
            ("X-Text", "no URL", "X-Text: no URL"),
        ]
    )
    func `a field that holds a URL loses the secrets in it`(_ name: String, _ value: String, _ line: String) throws {
        var request = try Request(method: .get, parsing: "http://h/")
        request.headers[try #require(HTTPField.Name(name))] = value
        #expect(request.cURL().contains(line), "\(request.cURL())")
        #expect(!request.cURL().contains("s3cr3t"))
        #expect(request.cURL(redacting: .none).contains(value))
    }
}
