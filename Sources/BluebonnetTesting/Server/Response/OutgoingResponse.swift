// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// A response with all its properties, from whichever source.
struct OutgoingResponse: Sendable {
    var status = 200
    var reason = ""
    var headers: [(name: String, value: String)] = []
    var body = BodySource.empty
    var framing = ScriptedResponse.Framing.length
    var trailers: [(name: String, value: String)] = []
    var informational: [(status: Int, headers: [(name: String, value: String)])] = []
    var delay: TimeAmount?
    var pace: Pace?
    var effect: SocketEffect?
    var http2Faults: [HTTP2Fault] = []
    /// Whether the body is the whole response, including its head.
    var isRaw = false
    /// Whether the connection is closed after it.
    var closes = false

    /// The size of pieces, and the pauses between them.
    struct Pace: Sendable, Hashable {
        var byteCount: Int
        var pause: TimeAmount
    }

    init(status: Int = 200, headers: [(name: String, value: String)] = [], body: BodySource = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns a document of a type.
    static func document(_ text: String, type: String, status: Int = 200) -> OutgoingResponse {
        OutgoingResponse(status: status, headers: [("Content-Type", type)], body: BodySource(text))
    }

    /// Returns a JSON document.
    static func json(_ value: JSONOutput, status: Int = 200) -> OutgoingResponse {
        self.document(value.text + "\n", type: "application/json", status: status)
    }

    /// Returns an error response with a reason in JSON.
    static func error(_ status: Int, _ reason: String) -> OutgoingResponse {
        self.json(.object([("error", .string(reason))]), status: status)
    }

    init(_ scripted: ScriptedResponse) {
        self.status = scripted.status.code
        self.reason = scripted.status.reasonPhrase
        self.headers = Self.pairs(scripted.headers)
        self.framing = scripted.framing
        self.trailers = Self.pairs(scripted.trailers)
        self.informational = scripted.informational.map { ($0.status.code, Self.pairs($0.headers)) }
        self.delay = scripted.delay.map { TimeAmount($0) }
        self.effect = scripted.effect
        self.http2Faults = scripted.http2Faults
        switch scripted.body {
        case .none: break
        case .bytes(let bytes): self.body = BodySource(ByteBuffer(bytes: bytes))
        case .pattern(let count): self.body = BodySource(pattern: 0..<max(0, count))
        case .file(let file): self.body = BodySource(file)
        }
        if case .throttle(let byteCount, let pause) = scripted.effect {
            self.pace = Pace(byteCount: max(1, byteCount), pause: TimeAmount(pause))
        }
        if let raw = scripted.raw {
            self.isRaw = true
            self.closes = raw.closes
            self.body = BodySource(ByteBuffer(bytes: raw.bytes))
            if let count = raw.pieceByteCount { self.pace = Pace(byteCount: max(1, count), pause: .zero) }
        }
    }

    private static func pairs(_ fields: HTTPFields) -> [(name: String, value: String)] {
        fields.map { ($0.name.rawName, $0.value) }
    }
}
