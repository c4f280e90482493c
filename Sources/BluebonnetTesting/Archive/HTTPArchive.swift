// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes
public import NIOCore

/// Recorded exchanges in a file: an HTTP Archive (HAR 1.2), the format of browsers and proxies.
///
/// ``RecordingTransport`` creates one, ``ReplayTransport`` responds from one.
///
/// ```swift
/// let recorder = RecordingTransport(wrapping: NIOTransport.shared)
/// // … make calls through it, then:
/// try recorder.archive.write(to: URL(filePath: "users.har"))
/// ```
///
/// - SeeAlso: The HAR 1.2 specification, http://www.softwareishard.com/blog/har-12-spec/.
public struct HTTPArchive: Sendable, Hashable {
    /// The exchanges, in the order in which they began.
    public var entries: [Entry]

    /// Creates an archive.
    ///
    /// - Parameter entries: The exchanges.
    public init(entries: [Entry] = []) {
        self.entries = entries
    }
}

extension HTTPArchive {
    /// One exchange.
    public struct Entry: Sendable, Hashable {
        /// When it began.
        public var started: Date

        /// Its duration, to the last byte of the response's body.
        public var duration: Duration

        /// The request.
        public var request: Request

        /// The response; nil if there is none, see ``failure``.
        public var response: Response?

        /// Why there is no response; nil if there is one.
        public var failure: String?

        /// The kind of the failure; nil if there was none, or if it was no `TransportError`.
        ///
        /// ``ReplayTransport`` fails in the same way. In a file these are the members `_failureCode`, `_failurePhase` and
        /// `_isRequestSent` of the entry, which other programs do not write.
        public var failureKind: FailureKind?

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - started: When it began.
        ///   - duration: Its duration.
        ///   - request: The request.
        ///   - response: The response; nil if there is none.
        ///   - failure: Why there is no response.
        public init(
            started: Date,
            duration: Duration = .zero,
            request: Request,
            response: Response?,
            failure: String? = nil
        ) {
            self.started = started
            self.duration = duration
            self.request = request
            self.response = response
            self.failure = failure
        }
    }

    /// What a client acts on when an exchange has failed.
    public struct FailureKind: Sendable, Hashable {
        /// The code of the error.
        public var code: TransportError.Code

        /// The phase of the exchange in which it failed.
        public var phase: TransportError.Phase

        /// Whether any byte of the request may have reached the server; if not, any request may be repeated.
        public var isRequestSent: Bool

        /// Creates the kind of a failure.
        ///
        /// - Parameters:
        ///   - code: The code of the error.
        ///   - phase: The phase of the exchange in which it failed.
        ///   - isRequestSent: Whether any byte of the request may have reached the server.
        public init(_ code: TransportError.Code, phase: TransportError.Phase, isRequestSent: Bool) {
            self.code = code
            self.phase = phase
            self.isRequestSent = isRequestSent
        }
    }

    /// A recorded request.
    public struct Request: Sendable, Hashable {
        /// The method.
        public var method: HTTPRequest.Method

        /// The absolute URL.
        public var url: String

        /// The header fields.
        public var headers: HTTPFields

        /// The body; empty if there was none.
        ///
        /// A recording without secrets has it after content decoding.
        public var body: Body

        /// Creates a request.
        ///
        /// - Parameters:
        ///   - method: The method.
        ///   - url: The absolute URL.
        ///   - headers: The header fields.
        ///   - body: The body.
        public init(method: HTTPRequest.Method, url: String, headers: HTTPFields = HTTPFields(), body: Body = Body()) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
        }
    }

    /// A recorded response.
    public struct Response: Sendable, Hashable {
        /// The status.
        public var status: HTTPResponse.Status

        /// The header fields.
        public var headers: HTTPFields

        /// The body, after content decoding unless ``isBodyEncoded``.
        public var body: Body

        /// Whether the body is encoded as Content-Encoding says; false unless set.
        ///
        /// ``RecordingTransport`` sets it for a response that still has the field, such as that of a download, and
        /// ``ReplayTransport`` then keeps the field. In an archive of a browser the field is the server's, although the
        /// body has been decoded. In a file it is the member `_encoded` of the content.
        public var isBodyEncoded = false

        /// Whether ``body`` is only what had been read when its reader stopped; false unless set.
        ///
        /// ``ReplayTransport`` delivers those bytes, and then fails in the body. In a file it is the member `_abandoned`
        /// of the content, which other programs do not write.
        public var isBodyAbandoned = false

        /// The trailer fields, after the body; empty unless set.
        ///
        /// In a file they are the member `_trailers` of the response, which other programs do not write.
        public var trailers = HTTPFields()

        /// Creates a response.
        ///
        /// - Parameters:
        ///   - status: The status.
        ///   - headers: The header fields.
        ///   - body: The body, after content decoding unless ``isBodyEncoded`` is set.
        public init(status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: Body = Body()) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// The body of a message.
    public struct Body: Sendable, Hashable {
        /// The stored bytes.
        public var bytes: ByteBuffer

        /// The original number of bytes; -1 if it is not known, which is that of a request body without a length that
        /// was not read to its end.
        public var byteCount: Int64

        /// Whether all bytes are stored.
        public var isComplete: Bool { Int64(self.bytes.readableBytes) == self.byteCount }

        /// Creates a complete body.
        ///
        /// - Parameter bytes: All its bytes.
        public init(_ bytes: ByteBuffer = ByteBuffer()) {
            self.init(bytes, of: Int64(bytes.readableBytes))
        }

        /// Creates a body that may be incomplete.
        ///
        /// - Parameters:
        ///   - bytes: The stored bytes.
        ///   - byteCount: The original number of bytes; -1 if it is not known.
        public init(_ bytes: ByteBuffer, of byteCount: Int64) {
            self.bytes = bytes
            self.byteCount = byteCount
        }

        /// The number that stands for a length that is not known, as in the format.
        static let unknownByteCount: Int64 = -1

        /// Whether the original number of bytes is this one, or is not known.
        ///
        /// - Parameter byteCount: The number.
        /// - Returns: Whether it may be.
        package func mayHave(byteCount: Int64) -> Bool { self.byteCount < 0 || self.byteCount == byteCount }
    }
}
