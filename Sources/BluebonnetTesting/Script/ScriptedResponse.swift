// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response for ``TestServer/enqueue(_:)`` or a handler: its content, its framing, and its faults.
public struct ScriptedResponse: Sendable, Hashable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields; Content-Length or Transfer-Encoding is added according to ``framing-swift.property`` unless
    /// one is given here.
    public var headers: HTTPFields

    /// The body.
    public var body: Body

    /// The fault of the connection.
    public var effect: SocketEffect?

    /// How the body is delimited.
    public var framing: Framing = .length

    /// The delay before the status line.
    public var delay: Duration?

    /// The informational responses (1xx) that are sent before it.
    public var informational: [Informational] = []

    /// The HTTP/2 faults, in addition to ``effect``; several at one position happen in the given order.
    public var http2Faults: [HTTP2Fault] = []

    /// The trailer fields: on HTTP/1.1 after a chunked body only.
    public var trailers = HTTPFields()

    /// Whether the response is sent after the head of the request has arrived, before its body.
    ///
    /// A client that waits for `100 Continue` then receives this status instead.
    public var isEarly = false

    /// Whether a client that expects it receives `100 Continue`; true unless changed.
    public var sendsContinue = true

    var raw: RawBytes?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status; 200 unless given.
    ///   - headers: The header fields.
    ///   - body: The body; none unless given.
    ///   - effect: The fault of the connection; none unless given.
    public init(
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields(),
        body: Body = .none,
        effect: SocketEffect? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.effect = effect
    }

    /// Returns a response given byte by byte, including its head, for malformed HTTP.
    ///
    /// - Parameters:
    ///   - bytes: Everything the server sends.
    ///   - pieceByteCount: The bytes of each write; all in one unless given.
    ///   - closes: Whether the server closes the connection after them; true unless changed.
    /// - Returns: The response.
    public static func raw(
        _ bytes: some Sequence<UInt8>,
        pieceByteCount: Int? = nil,
        thenCloses closes: Bool = true
    ) -> ScriptedResponse {
        var response = ScriptedResponse()
        response.raw = RawBytes(bytes: Array(bytes), pieceByteCount: pieceByteCount, closes: closes)
        return response
    }

    /// Returns a response given as text, including its head; the same as
    /// ``raw(_:pieceByteCount:thenCloses:)-(Sequence<UInt8>,_,_)`` with its UTF-8 bytes.
    ///
    /// - Parameters:
    ///   - text: Everything the server sends.
    ///   - pieceByteCount: The bytes of each write; all in one unless given.
    ///   - closes: Whether the server closes the connection after them; true unless changed.
    /// - Returns: The response.
    public static func raw(
        _ text: String,
        pieceByteCount: Int? = nil,
        thenCloses closes: Bool = true
    ) -> ScriptedResponse {
        self.raw(Array(text.utf8), pieceByteCount: pieceByteCount, thenCloses: closes)
    }
}

extension ScriptedResponse {
    struct RawBytes: Sendable, Hashable {
        var bytes: [UInt8]
        var pieceByteCount: Int?
        var closes: Bool
    }

    /// The body of a ``ScriptedResponse``.
    public enum Body: Sendable, Hashable {
        /// An empty body.
        case none
        /// Bytes in memory.
        case bytes([UInt8])
        /// The first bytes of ``PatternBytes``, as many as given; they are generated while they are sent.
        case pattern(Int64)
        /// A file, or a part of one.
        case file(ServedFile)

        /// Returns a body with the UTF-8 bytes of a text.
        public static func text(_ text: String) -> Body { .bytes(Array(text.utf8)) }
    }

    /// How a body is delimited (RFC 9112 section 6).
    public enum Framing: Sendable, Hashable {
        /// By Content-Length.
        case length
        /// By the chunked coding, with chunks of this many bytes.
        case chunked(byteCount: Int)
        /// By the close of the connection.
        case untilClose
        /// By the given header fields, right or wrong; nothing is added to them.
        case asGiven
    }

    /// An informational response (1xx).
    public struct Informational: Sendable, Hashable {
        /// The status, for example 103.
        public var status: HTTPResponse.Status
        /// The header fields.
        public var headers: HTTPFields

        /// Creates an informational response.
        ///
        /// - Parameters:
        ///   - status: The status.
        ///   - headers: The header fields.
        public init(status: HTTPResponse.Status, headers: HTTPFields = HTTPFields()) {
            self.status = status
            self.headers = headers
        }
    }
}

extension ScriptedResponse.Body: ExpressibleByStringInterpolation {
    /// Creates a body from a text, also one with interpolations.
    public init(stringLiteral value: String) {
        self = .text(value)
    }
}
