// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

/// What a program sees of a recording without secrets.
struct ArchiveSecretReplayTests {
    private static func request(
        _ body: ByteBuffer = ByteBuffer(),
        type: String = "text/plain",
        headers: HTTPFields = [:]
    ) -> TransportRequest {
        let origin = Origin(scheme: .https, host: "h.test")
        var request = TransportRequest(method: .post, origin: origin, target: "/", headers: headers)
        request.headers[.contentType] = type
        request.body = .bytes(body)
        return request
    }

    private static func archive(_ request: TransportRequest, _ response: TransportResponse) async throws -> HTTPArchive
    {
        let recorder = RecordingTransport(wrapping: StubTransport { _ in response })
        _ = try await recorder.exchange(request)
        return try HTTPArchive(parsing: recorder.archive.serialized())
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var type: String
        var recorded: String
        /// Nil if nothing changes.
        var replayed: String?

        var testDescription: String { "\(self.type): \(self.recorded)" }
    }

    private static let bodies = [
        Case(
            type: "application/json",
            recorded: #"{"usage":{"total_tokens":7,"tokens_details":{"audio_tokens":1}},"session_count":2}"#
        ),
        Case(type: "application/json", recorded: #"{"next_page_token":null,"has_password":true}"#),
        Case(
            type: "application/json",
            recorded: #"{"otp":4711,"secretary":["x",5],"session":{"id":"x","ttl":9,"on":true}}"#,
            replayed: #"{"otp":0,"secretary":["REDACTED",0],"session":{"id":"REDACTED","ttl":0,"on":true}}"#
        ),
        Case(
            type: "application/json",
            recorded: #"{"sessions":{"4fe1":{"user":"x"}}}"#,
            replayed: #"{"sessions":"REDACTED"}"#
        ),
        Case(
            type: "application/x-ndjson",
            recorded: "{\"a\":1}\n{\"token\":\"x\"}\n",
            replayed: "{\"a\":1}\n{\"token\":\"REDACTED\"}\n"
        ),
        Case(
            type: "application/json-seq",
            recorded: "\u{1E}{\"token\":\"x\"}\n\u{1E}{}\n",
            replayed: "\u{1E}{\"token\":\"REDACTED\"}\n\u{1E}{}\n"
        ),
        Case(
            type: "text/event-stream",
            recorded: "event: session.created\r\nid: 1\r\ndata: {\"total_tokens\":7}\r\n\r\ndata: [DONE]\r\n\r\n"
        ),
        Case(
            type: "text/event-stream",
            recorded: "data: {\"a\":1}\r\n\r\n: token x\rid: 1\rdata: {\"token\":\ndata: \"x\"}\n\n"
                + "data: token x\ndata:y\n\n",
            replayed: "data: {\"a\":1}\n\nid: 1\ndata: {\"token\":\"REDACTED\"}\n\ndata: REDACTED\n\n"
        ),
    ]

    @Test(.bug(id: "F571"), arguments: bodies) func `a body is replayed without the secrets, and in its format`(
        _ example: Case
    ) async throws {
        let request = Self.request()
        let archive = try await Self.archive(request, .text(example.recorded, type: example.type))
        let response = try await ReplayTransport(archive).exchange(request)
        let body = String(buffer: try await response.body.collect(upTo: 1000))
        #expect(body.utf8.elementsEqual((example.replayed ?? example.recorded).utf8), "\(body)")
    }

    @Test(
        .bug(id: "F571"),
        arguments: [("text/plain", "Token ring"), ("application/xml", "<jwt>x</jwt>"), ("text/csv", "id,password\n")]
    )
    func `a body that was left out is an error, and no text of the server`(type: String, text: String) async throws {
        let request = Self.request()
        let archive = try await Self.archive(request, .text(text, type: type))
        let error = await #expect(throws: TransportError.self) { try await ReplayTransport(archive).exchange(request) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason.contains("which had \(text.utf8.count) bytes") == true)
    }

    /// A recorded body, another one with other secrets, and one that is wrong.
    struct Bodies: Sendable, CustomTestStringConvertible {
        var type: String
        var recorded: String
        var same: String
        var other: String
        var isCompressed = false

        var testDescription: String { "\(self.type)\(self.isCompressed ? ", compressed" : "")" }

        func request(_ text: String) -> TransportRequest {
            let bytes = Array(text.utf8)
            return ArchiveSecretReplayTests.request(
                ByteBuffer(bytes: self.isCompressed ? Compression.gzip(bytes) : bytes),
                type: self.type,
                headers: self.isCompressed ? [.contentEncoding: "gzip"] : [:]
            )
        }
    }

    private static func part(_ xml: String) -> String {
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: text/xml\r\n\r\n\(xml)\r\n--b--\r\n"
    }

    @Test(
        .bug(id: "F575"),
        arguments: [
            Bodies(
                type: "text/plain",
                recorded: "order 1, token a",
                same: "order 1, token b",
                other: "order 10, token a"
            ),
            Bodies(
                type: "application/xml",
                recorded: "<a><jwt>x</jwt>1</a>",
                same: "<a><jwt>y</jwt>1</a>",
                other: "<a><jwt>x</jwt>1000</a>"
            ),
            Bodies(type: "text/plain", recorded: "order 1", same: "order 1", other: "session"),
            Bodies(
                type: "multipart/form-data; boundary=b",
                recorded: Self.part("<jwt>x</jwt>"),
                same: Self.part("<jwt>y</jwt>"),
                other: Self.part("<jwt>x</jwt><pay/>")
            ),
            Bodies(
                type: "application/json",
                recorded: #"{"item":"a","token":"x"}"#,
                same: #"{"item":"a","token":"another"}"#,
                other: #"{"item":"b","token":"x"}"#,
                isCompressed: true
            ),
            Bodies(
                type: "application/json",
                recorded: #"{"item":"a"}"#,
                same: #"{"item":"a"}"#,
                other: #"{"item":"b"}"#,
                isCompressed: true
            ),
        ]
    )
    func `a request with another body than the recorded one is refused, whatever was left out of it`(
        _ bodies: Bodies
    ) async throws {
        let archive = try await Self.archive(bodies.request(bodies.recorded), .text("done"))
        let error = await #expect(throws: TransportError.self) {
            try await ReplayTransport(archive).exchange(bodies.request(bodies.other))
        }
        #expect(error?.code == .invalidRequest)
        #expect(try await ReplayTransport(archive).exchange(bodies.request(bodies.same)).status == .ok)
    }
}
