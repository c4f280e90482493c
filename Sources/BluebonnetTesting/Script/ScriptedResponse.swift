// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response for ``TestServer/enqueue(_:)`` or a handler: what to send, how to frame it, and what is to go wrong.
public struct ScriptedResponse: Sendable, Hashable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields; Content-Length or Transfer-Encoding is added as ``framing-swift.property`` says unless one is given here.
    public var headers: HTTPFields

    /// The body.
    public var body: Body

    /// What goes wrong.
    public var effect: SocketEffect?

    /// How the end of the body is shown.
    public var framing: Framing = .length

    /// How long the server waits before the status line.
    public var delay: Duration?

    /// The informational responses (1xx) that are sent before.
    public var informational: [Informational] = []

    /// What goes wrong on HTTP/2, besides ``effect``: in the order given where several happen at one place.
    public var http2Faults: [HTTP2Fault] = []

    /// The fields after the body: on HTTP/1.1 after a chunked one, on HTTP/2 after any.
    public var trailers = HTTPFields()

    /// Whether the response is sent when the head of the request has arrived, before its body.
    ///
    /// A client that waits for `100 Continue` is then given this status instead.
    public var isEarly = false

    /// Whether a client that asks for it gets `100 Continue`; true unless changed.
    public var sendsContinue = true

    var raw: RawBytes?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status; 200 unless given.
    ///   - headers: The header fields.
    ///   - body: The body; none unless given.
    ///   - effect: What goes wrong; nothing unless given.
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

    /// A response of type `application/json`.
    ///
    /// - Parameters:
    ///   - text: The document; it is sent as it is, valid or not.
    ///   - status: The status; 200 unless given.
    /// - Returns: The response.
    public static func json(_ text: String, status: HTTPResponse.Status = .ok) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: [.contentType: "application/json"], body: .text(text))
    }

    /// A response given byte by byte, head and all, for peers that do not speak HTTP as they should.
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

    /// A response given as text, head and all; the same as ``raw(_:pieceByteCount:thenCloses:)-(Sequence<UInt8>,_,_)`` of its UTF-8 bytes.
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
        /// No bytes.
        case none
        /// Some bytes.
        case bytes([UInt8])
        /// The first bytes of ``PatternBytes``, as many as wanted; they are made while they are sent.
        case pattern(Int64)
        /// A file, or a part of one.
        case file(ServedFile)

        /// The UTF-8 bytes of a text.
        public static func text(_ text: String) -> Body { .bytes(Array(text.utf8)) }
    }

    /// How a client can tell where the body ends (RFC 9112 section 6).
    public enum Framing: Sendable, Hashable {
        /// By a Content-Length field.
        case length
        /// By chunks of so many bytes.
        case chunked(byteCount: Int)
        /// By the end of the connection.
        case untilClose
        /// By what the header fields say, right or wrong; nothing is added to them.
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

extension ScriptedResponse.Body: ExpressibleByStringLiteral {
    /// Creates a body from a text.
    public init(stringLiteral value: String) {
        self = .text(value)
    }
}
