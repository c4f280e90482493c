// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

struct HTTPArchiveTests {
    /// As a browser writes it: pseudo fields of HTTP/2, pages, a cache, members of its own, and times with a zone.
    static let browser = #"""
        {"log": {"version": "1.2", "creator": {"name": "Browser", "version": "131"}, "pages": [{"id": "page_1"}], "entries": [
          {"pageref": "page_1", "_resourceType": "fetch", "startedDateTime": "2026-11-22T10:00:00.250+01:00", "time": 12.5,
           "cache": {"beforeRequest": {"lastAccess": "x", "eTag": "y", "hitCount": 0}},
           "request": {"method": "POST", "url": "https://api.example.test/v1/users?page=2", "httpVersion": "h2",
             "headers": [{"name": ":authority", "value": "api.example.test"}, {"name": "content-type", "value": "application/json"}],
             "queryString": [{"name": "page", "value": "2"}], "cookies": [], "headersSize": -1, "bodySize": 14,
             "postData": {"mimeType": "application/json", "text": "{\"name\":\"Ada\"}"}},
           "response": {"status": 200, "statusText": "", "httpVersion": "h2", "cookies": [], "redirectURL": "", "headersSize": -1,
             "headers": [{"name": "content-type", "value": "image/png"}, {"name": "content-encoding", "value": "br"}],
             "bodySize": 3, "content": {"size": 4, "mimeType": "image/png", "text": "iVBORw==", "encoding": "base64"}},
           "timings": {"blocked": -1, "send": 0, "wait": 10, "receive": 2.5}},
          {"startedDateTime": "2026-11-22T09:00:01Z", "time": -1,
           "request": {"method": "GET", "url": "https://api.example.test/gone", "headers": []},
           "response": {"status": 0, "statusText": "", "headers": [], "content": {"size": 0, "mimeType": "x-unknown"}}}
        ]}}
        """#

    @Test func `reads what a browser has written`() throws {
        let archive = try HTTPArchive(parsing: Data(Self.browser.utf8))
        try #require(archive.entries.count == 2)
        let first = archive.entries[0]
        #expect(first.started.timeIntervalSince1970 == 1_795_338_000.25)
        #expect(first.duration == .microseconds(12_500))
        #expect(first.request.method == .post)
        #expect(first.request.url == "https://api.example.test/v1/users?page=2")
        #expect(first.request.headers == [.contentType: "application/json"])
        #expect(String(buffer: first.request.body.bytes) == #"{"name":"Ada"}"#)
        let response = try #require(first.response)
        #expect(response.status == .ok)
        #expect(Array(buffer: response.body.bytes) == [0x89, 0x50, 0x4E, 0x47])
        #expect(archive.entries[1].response == nil)
        #expect(archive.entries[1].failure != nil)
        #expect(archive.entries[1].duration == .zero)
    }

    @Test func `reads back what it has written`() throws {
        let body = HTTPArchive.Body(ByteBuffer(bytes: [0, 0xFF, 0x80]))
        let request = HTTPArchive.Request(
            method: .put,
            url: "http://h.test/a?b=c",
            headers: [.accept: "*/*", .contentType: "application/octet-stream"],
            body: body
        )
        let archive = HTTPArchive(entries: [
            HTTPArchive.Entry(
                started: Date(timeIntervalSince1970: 1_000_000.5),
                duration: .milliseconds(7),
                request: request,
                response: HTTPArchive.Response(
                    status: .init(code: 418),
                    headers: [.location: "/é", .contentType: "text/plain"],
                    body: HTTPArchive.Body(ByteBuffer(string: "Größe\n"))
                )
            ),
            HTTPArchive.Entry(
                started: Date(timeIntervalSince1970: 0),
                request: request,
                response: nil,
                failure: "refused"
            ),
            HTTPArchive.Entry(
                started: Date(timeIntervalSince1970: 0),
                request: request,
                response: HTTPArchive.Response(status: .ok, body: HTTPArchive.Body(ByteBuffer(), of: 1 << 40))
            ),
        ])
        #expect(try HTTPArchive(parsing: archive.serialized()) == archive)
    }

    @Test(arguments: [
        ("", "it is not JSON"),
        ("{\"log\": {\"version\": \"1.2\", \"entries\": [}}", "it is not JSON"),
        ("[]", "the document has another type than the format says"),
        (#"{"log": {}}"#, #"log has no member “version”"#),
        (#"{"log": {"version": "1.2", "entries": [{}]}}"#, #"log.entries.0 has no member “request”"#),
        (Self.entry(method: "G T"), "entry 0: the method is no token"),
        (Self.entry(status: 99), "entry 0: the status 99 is no number of three digits"),
        (Self.entry(status: -1), "entry 0: the status -1 is no number of three digits"),
        (Self.entry(content: #"{"text": "?", "encoding": "base64"}"#), "entry 0: a body is not Base64"),
        (
            Self.entry(content: #"{"text": "", "encoding": "rot13"}"#),
            "entry 0: a body has the encoding rot13, which is not known"
        ),
    ])
    func `says what is wrong with a document`(text: String, reason: String) {
        let error = #expect(throws: HTTPArchiveError.self) { try HTTPArchive(parsing: Data(text.utf8)) }
        #expect(error?.code == .malformed)
        #expect(error?.reason == reason)
    }

    @Test(
        .bug(id: "F459"),
        arguments: [
            (#""status": 2.5"#, "status"), (#""status": 9223372036854775808"#, "status"),
            (#""status": 200, "content": {"size": 2.5}"#, "content.size"),
            (#""status": 200, "bodySize": 1e30"#, "bodySize"), (#""status": 200, "headersSize": 0.5"#, "headersSize"),
        ]
    )
    func `names the place of a number that does not fit`(_ members: String, _ place: String) {
        let text = #"""
            {"log": {"version": "1.2", "entries": [{"request": {"method": "GET", "url": "http://h.test/"},
            "response": {\#(members)}}]}}
            """#
        let error = #expect(throws: HTTPArchiveError.self) { try HTTPArchive(parsing: Data(text.utf8)) }
        #expect(error?.code == .malformed)
        #expect(error?.reason == "log.entries.0.response.\(place) is a number that does not fit")
    }

    @Test(.bug(id: "F247"), arguments: ["request", "response"])
    func `a message may have 10,000 header fields and no more`(_ message: String) throws {
        for count in [10_000, 10_001] {
            let field = #"{"name": "a", "value": "b"}"#
            let fields = "[" + Array(repeating: field, count: count).joined(separator: ",") + "]"
            let (request, response) = message == "request" ? (fields, "[]") : ("[]", fields)
            let text = #"""
                {"log": {"version": "1.2", "entries": [{
                "request": {"method": "GET", "url": "http://h.test/", "headers": \#(request)},
                "response": {"status": 200, "headers": \#(response)}}]}}
                """#
            if count == 10_000 {
                let entry = try #require(try HTTPArchive(parsing: Data(text.utf8)).entries.first)
                #expect(entry.request.headers.count + (entry.response?.headers.count ?? 0) == count)
                continue
            }
            let error = #expect(throws: HTTPArchiveError.self) { try HTTPArchive(parsing: Data(text.utf8)) }
            #expect(error?.code == .malformed)
            #expect(error?.reason == "entry 0: the \(message) has more than 10000 header fields")
        }
    }

    @Test func `names the file that cannot be read or written`() throws {
        let missing = #expect(throws: HTTPArchiveError.self) {
            try HTTPArchive(contentsOf: URL(filePath: "/nonexistent/a.har"))
        }
        #expect(missing?.code == .unreadable)
        #expect(missing?.reason == "/nonexistent/a.har cannot be read: No such file or directory")
        #expect(missing?.underlying != nil)
        let unwritable = #expect(throws: HTTPArchiveError.self) {
            try HTTPArchive().write(to: URL(filePath: "/nonexistent/a.har"))
        }
        #expect(unwritable?.code == .unwritable)
        #expect(unwritable?.underlying != nil)
    }

    @Test func `errors are equal by their codes, whose names they print`() throws {
        let texts = ["[]", "{}"].map { Data($0.utf8) }
        let malformed = try texts.map { text in
            try #require(throws: HTTPArchiveError.self) { try HTTPArchive(parsing: text) }
        }
        #expect(malformed[0] == malformed[1] && malformed[0].reason != malformed[1].reason)
        let missing = #expect(throws: HTTPArchiveError.self) {
            try HTTPArchive(contentsOf: URL(filePath: "/nonexistent/a.har"))
        }
        #expect(missing != malformed[0])
        #expect("\(malformed[0])" == "malformed: \(malformed[0].reason)")
    }

    /// The members of a request of another program, and what they say.
    struct Foreign: Sendable {
        var members: String
        var url = "http://h.test/"
        var body = HTTPArchive.Body()
    }

    @Test(
        .bug(id: "F574"),
        arguments: [
            Foreign(members: #""url": "http://h.test/a?b=c#d=e?""#, url: "http://h.test/a?b=c"),
            Foreign(
                members: #"""
                    "url": "http://h.test/", "postData": {"mimeType": "application/x-www-form-urlencoded; charset=utf-8",
                    "params": [{"name": "a", "value": "1"}, {"name": "b&", "value": "x y+é"}, {"name": "c"}]}
                    """#,
                body: HTTPArchive.Body(ByteBuffer(string: "a=1&b%26=x%20y%2B%C3%A9&c="))
            ),
            Foreign(
                members: #"""
                    "url": "http://h.test/", "postData": {"mimeType": "application/x-www-form-urlencoded",
                    "text": "a=1", "params": [{"name": "a", "value": "2"}]}
                    """#,
                body: HTTPArchive.Body(ByteBuffer(string: "a=1"))
            ),
            Foreign(
                members: #"""
                    "url": "http://h.test/", "bodySize": -1, "postData": {"mimeType": "multipart/form-data; boundary=b",
                    "params": [{"name": "a", "fileName": "x.txt"}]}
                    """#,
                body: HTTPArchive.Body(ByteBuffer(), of: -1)
            ),
        ]
    )
    func `reads the requests of other programs`(_ example: Foreign) throws {
        let text = #"""
            {"log": {"version": "1.2", "entries": [{"request": {"method": "POST", \#(example.members)},
            "response": {"status": 200}}]}}
            """#
        let request = try #require(try HTTPArchive(parsing: Data(text.utf8)).entries.first?.request)
        #expect(request.url == example.url)
        #expect(request.body == example.body)
    }

    @Test(.bug(id: "F574"), arguments: [#"\n"#, #"\r\n"#])
    func `a value with line breaks is as many fields`(_ lineBreak: String) throws {
        let text = #"""
            {"log": {"version": "1.2", "entries": [{"request": {"method": "GET", "url": "http://h.test/"},
            "response": {"status": 200, "headers": [{"name": "set-cookie", "value": "a=1\#(lineBreak)b=2"}]}}]}}
            """#
        let response = try #require(try HTTPArchive(parsing: Data(text.utf8)).entries.first?.response)
        #expect(response.headers[values: .setCookie] == ["a=1", "b=2"])
    }

    private static func entry(method: String = "GET", status: Int = 200, content: String = "{}") -> String {
        #"""
        {"log": {"version": "1.2", "entries": [{"request": {"method": "\#(method)", "url": "http://h.test/"},
        "response": {"status": \#(status), "content": \#(content)}}]}}
        """#
    }
}
