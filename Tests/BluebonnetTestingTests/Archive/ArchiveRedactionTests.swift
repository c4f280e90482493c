// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

struct ArchiveRedactionTests {
    /// A message that is recorded in both directions.
    private static func record(
        _ body: ByteBuffer,
        type: String,
        headers: HTTPFields = [:]
    ) async throws -> HTTPArchive.Entry {
        var headers = headers
        headers[.contentType] = type
        let recorder = RecordingTransport(
            wrapping: StubTransport { [headers] _ in
                TransportResponse(status: .ok, headers: headers, body: ResponseBody(body))
            }
        )
        var request = TransportRequest(method: .post, origin: Origin(scheme: .https, host: "h.test"), target: "/")
        request.headers = headers
        request.body = .bytes(body)
        _ = try await recorder.exchange(request)
        return try #require(recorder.archive.entries.first)
    }

    @Test(arguments: [
        ("application/json", #"{"access_token":"hidden"}{"access_token":"hidden"}"#),
        ("application/json", #"{"a":1,"access_token":"hidden",}"#),
        ("application/json", #"{"acc\u0065ss":1,"\u0074oken":"hidden",}"#),
        ("application/x-ndjson", "{\"otp\":\"hidden\"}\n{"),
        ("image/svg+xml", "<svg><text>token=hidden</text></svg>"),
        ("application/x-plist", "<plist><dict><key>password</key><string>hidden</string></dict></plist>"),
        ("application/xml", "<jwt>hidden</jwt>"),
        ("text/plain", "user=ada pwd=hidden"),
        ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nhidden"),
    ])
    func `of a body that cannot be taken apart only the length is kept if it holds a secret name`(
        type: String,
        body: String
    ) async throws {
        let entry = try await Self.record(ByteBuffer(string: body), type: type)
        let expected = HTTPArchive.Body(ByteBuffer(), of: Int64(body.utf8.count))
        #expect(entry.request.body == expected)
        #expect(entry.response?.body == expected)
    }

    @Test func `parts in parts are not taken apart, however deep they are`() async throws {
        var body = "--0\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nhidden\r\n--0--\r\n"
        for level in 1...2000 {
            let type = "multipart/mixed; boundary=\(level - 1)"
            body = "--\(level)\r\nContent-Type: \(type)\r\n\r\n\(body)\r\n--\(level)--\r\n"
        }
        let entry = try await Self.record(ByteBuffer(string: body), type: "multipart/mixed; boundary=2000")
        #expect(!String(buffer: entry.request.body.bytes).contains("hidden"))
    }

    @Test func `names in Latin-1 and in UTF-16 are found`() async throws {
        let latin = ByteBuffer(bytes: Array(#"{"token":"hidden "#.utf8) + [0xE9] + Array(#""}"#.utf8))
        let wide = ByteBuffer(bytes: #"{"token":"hidden"}"#.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] })
        for body in [latin, wide] {
            let entry = try await Self.record(body, type: "application/json; charset=iso-8859-1")
            let kept = try #require(entry.response?.body)
            #expect(!String(buffer: kept.bytes).contains("hidden"))
            #expect(kept.byteCount == Int64(body.readableBytes) || String(buffer: kept.bytes).contains("REDACTED"))
        }
    }

    @Test(arguments: [
        ("application/json", #"{"password":"hidden","password":"REDACTED"}"#, #"{"password":"REDACTED"}"#),
        ("application/json", #"{"a":{"token":"hidden"},"a":1}"#, #"{"a":1}"#),
        ("application/json", #"[{"otp":"hidden","\u006ftp":""}]"#, #"[{"otp":"REDACTED"}]"#),
        ("text/html", #" {"access_token":"hidden"}"#, #"{"access_token":"REDACTED"}"#),
        ("text/javascript", #"[{"access_token":"hidden"}]"#, #"[{"access_token":"REDACTED"}]"#),
    ])
    func `a secret that another member stands for, or that is called a page, is hidden`(
        type: String,
        body: String,
        expected: String
    ) async throws {
        let entry = try await Self.record(ByteBuffer(string: body), type: type)
        #expect(String(buffer: entry.request.body.bytes) == expected)
        #expect(entry.response.map { String(buffer: $0.body.bytes) } == expected)
    }

    @Test func `a body whose coding is broken is left out, and one that was decoded is not`() async throws {
        let coded = ByteBuffer(bytes: [0x1F, 0x8B, 0x08, 0xFF])
        let first = try await Self.record(coded, type: "application/json", headers: [.contentEncoding: "gzip"])
        #expect(first.request.body == HTTPArchive.Body(ByteBuffer(), of: 4))
        #expect(first.response?.body == HTTPArchive.Body(ByteBuffer(), of: 4))
        let plain = ByteBuffer(string: #"{"a":1}"#)
        let second = try await Self.record(plain, type: "application/json", headers: [.contentEncoding: "gzip"])
        #expect(second.response?.body.bytes == plain)
    }

    @Test(arguments: [
        ("text/html", "<p>Your password and your cookie</p>"),
        ("text/html", "{{ password }}"),
        ("text/plain", "Nothing of interest"),
        ("application/json", "{\"a\":1,}"),
        ("application/json", #"{"code":7,"pin":4,"state":"x"}"#),
        ("application/octet-stream", "jwt pwd"),
        ("application/x-www-form-urlencoded", "code=7&name=x"),
    ])
    func `ordinary bodies stay as they are`(type: String, body: String) async throws {
        let entry = try await Self.record(ByteBuffer(string: body), type: type)
        #expect(String(buffer: entry.request.body.bytes) == body)
        #expect(entry.response.map { String(buffer: $0.body.bytes) } == body)
    }

    @Test(arguments: [
        ("Location", "/cb#access_token=x&state=1", "/cb#access_token=REDACTED&state=1"),
        ("Location", "app:/cb#/route?token=x", "app:/cb#/route?token=REDACTED"),
        ("Location", "/cb?code=x&state=1", "/cb?code=REDACTED&state=1"),
        ("Location", "/list?code=7#top", "/list?code=7#top"),
        ("Location", "//user:hidden@h.test/a@b", "//REDACTED@h.test/a@b"),
        ("Content-Location", "/a?token=x&b=1", "/a?token=REDACTED&b=1"),
        ("Referer", "https://h.test/?token=x", "https://h.test/?token=REDACTED"),
        ("Link", "</a?token=x>; rel=next, </b?n=1>; rel=last", "</a?token=REDACTED>; rel=next, </b?n=1>; rel=last"),
        ("Refresh", "5; URL=https://h.test/?token=x", "5; URL=https://h.test/?token=REDACTED"),
        ("Refresh", "5", "5"),
        ("X-Next", "https://u:p@h.test/?otp=x", "https://REDACTED@h.test/?otp=REDACTED"),
        ("Ocp-Apim-Subscription-Key", "x", "REDACTED"),
    ])
    func `fields that hold URLs lose the secrets in them`(name: String, value: String, expected: String) async throws {
        let field = try #require(HTTPField.Name(name))
        let entry = try await Self.record(ByteBuffer(), type: "text/plain", headers: [field: value])
        #expect(entry.request.headers[field] == expected)
        #expect(entry.response?.headers[field] == expected)
    }

    @Test(arguments: [
        "private_key", "passphrase", "pwd", "db-pwd", "client_assertion", "assertion", "otp", "jwt", "api-key",
        "Ocp-Apim-Subscription-Key", "code_verifier",
    ])
    func `a name says that its value is secret`(name: String) {
        #expect(Redaction.secrets.hides(name))
        #expect(!Redaction.none.hides(name))
    }

    @Test(arguments: ["code", "pin", "key", "name", "state", "assertions", "option"])
    func `ordinary names stay`(name: String) {
        #expect(!Redaction.secrets.hides(name))
    }

    @Test func `a multipart request is answered whatever its boundary is`() async throws {
        func request(_ boundary: String, _ note: String) -> TransportRequest {
            var request = TransportRequest(method: .post, origin: Origin(scheme: .https, host: "h.test"), target: "/")
            request.headers[.contentType] = "multipart/form-data; boundary=\(boundary)"
            let parts = [("user", note), ("password", "hidden-\(boundary)")].map { name, value in
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
            }
            request.body = .bytes(ByteBuffer(string: parts.joined() + "--\(boundary)--\r\n"))
            return request
        }
        let recorder = RecordingTransport(wrapping: StubTransport { _ in .text("done") })
        _ = try await recorder.exchange(request("first", "ada"))
        let text = String(decoding: recorder.archive.serialized(), as: UTF8.self)
        #expect(!text.contains("hidden") && text.contains("ada"))
        let replay = ReplayTransport(try HTTPArchive(parsing: recorder.archive.serialized()), matching: .anyOrder)
        #expect(try await replay.exchange(request("second", "ada")).status == .ok)
        await #expect(throws: TransportError.self) { try await replay.exchange(request("third", "grace")) }
    }

    @Test func `a new archive is readable to its owner alone`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID()).har")
        defer { try? FileManager.default.removeItem(at: file) }
        try HTTPArchive().write(to: file)
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        }
        #expect(try mode() == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        try HTTPArchive().write(to: file)
        #expect(try mode() == 0o640)
    }
}
