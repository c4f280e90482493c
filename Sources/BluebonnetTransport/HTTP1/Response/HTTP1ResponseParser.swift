// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Parses HTTP/1.x responses incrementally, from bytes that may be split anywhere (RFC 9112).
///
/// It is a pure state machine: each call takes received bytes and returns one event; unused bytes stay in the buffer.
/// No input makes it trap, and everything that a server can make it store is counted against ``TransportLimits``.
struct HTTP1ResponseParser {
    /// The events of the parser.
    enum Event {
        /// An informational response (1xx); another one or the final head follows.
        case informational(HTTPResponse.Status, HTTPFields)
        case head(ResponseHead)
        case body(ByteBuffer)
        /// The end of the response, with the trailer fields of a chunked message.
        case end(trailers: HTTPFields?)
    }

    enum State: Equatable {
        case statusLine
        case fieldLines
        case fixedBody(remaining: Int64)
        case bodyUntilClose
        case chunkSize
        case chunkData(remaining: Int64)
        case chunkDataEnd
        case trailerLines
        /// All bytes are read; the end has not been reported yet.
        case ending
        case complete
        case tunnel
    }

    /// The limits of the transport, for requests without their own.
    private let defaultLimits: TransportLimits
    private(set) var limits: TransportLimits
    var state = State.complete
    /// Whether the connection can carry another exchange after this response.
    var keepsConnection = true
    /// How long the connection may be idle, as the last response that says so says; nil if none did.
    var idleLimit: TimeAmount?

    var method = HTTPRequest.Method.get
    var status = HTTPResponse.Status.ok
    var isVersion11 = true
    var fields = HTTPFields()
    var fieldBytes = 0
    var informationalCount = 0
    /// The number of readable bytes known to contain no line feed.
    var scannedBytes = 0
    /// The value of the last field while continuation lines are appended to it; nil if there were none.
    var folded: [UInt8]?
    /// The bytes of chunk framing beyond the allowance for the chunks' data.
    private var chunkExcess: Int64 = 0

    init(limits: TransportLimits) {
        self.defaultLimits = limits
        self.limits = limits
    }

    /// Prepares for the response to a request with this method, with its own limits if it has some.
    mutating func begin(method: HTTPRequest.Method, limits: TransportLimits? = nil) {
        self.limits = limits ?? self.defaultLimits
        self.method = method
        self.state = .statusLine
        self.keepsConnection = true
        self.fields = HTTPFields()
        self.fieldBytes = 0
        self.informationalCount = 0
        self.scannedBytes = 0
        self.folded = nil
        self.chunkExcess = 0
    }

    /// Parses the next event.
    ///
    /// - Parameter buffer: The bytes received and not yet parsed; parsed bytes are removed from its front.
    /// - Returns: The event; nil if more bytes are needed.
    /// - Throws: An error if the bytes violate the protocol or a limit.
    mutating func next(_ buffer: inout ByteBuffer) throws(TransportError) -> Event? {
        while true {
            switch self.state {
            case .statusLine, .fieldLines, .trailerLines:
                return try self.readLines(&buffer)
            case .fixedBody(let remaining):
                guard let slice = Self.takeBody(&buffer, atMost: remaining) else { return nil }
                let left = remaining - Int64(slice.readableBytes)
                self.state = left == 0 ? .ending : .fixedBody(remaining: left)
                return .body(slice)
            case .bodyUntilClose, .tunnel:
                guard let slice = Self.takeBody(&buffer, atMost: .max) else { return nil }
                return .body(slice)
            case .chunkSize:
                guard let size = try self.readChunkSize(&buffer) else { return nil }
                try self.countFraming(lineByteCount: self.fieldBytes, size: size)
                self.fieldBytes = 0
                self.state = size == 0 ? .trailerLines : .chunkData(remaining: size)
            case .chunkData(let remaining):
                guard let slice = Self.takeBody(&buffer, atMost: remaining) else { return nil }
                let left = remaining - Int64(slice.readableBytes)
                self.state = left == 0 ? .chunkDataEnd : .chunkData(remaining: left)
                return .body(slice)
            case .chunkDataEnd:
                // RFC 9112 section 7.1: chunk data ends with CRLF and nothing else.
                guard buffer.readableBytes >= 2 else { return nil }
                guard let end = buffer.readInteger(as: UInt16.self), end == 0x0D0A else {
                    throw .violation("a chunk is longer than its size says")
                }
                self.state = .chunkSize
            case .ending:
                self.state = .complete
                return .end(trailers: nil)
            case .complete:
                return nil
            }
        }
    }

    /// Refuses a server that sends far more framing than data, which costs processing without progress.
    ///
    /// Each chunk may have 16 bytes of framing, and two for each byte of its data; the excess is added up.
    private mutating func countFraming(lineByteCount: Int, size: Int64) throws(TransportError) {
        let allowed = 16 + 2 * size
        self.chunkExcess = Swift.max(self.chunkExcess + Int64(lineByteCount) + 2 - allowed, 0)
        let limit = self.limits.maximumChunkOverheadByteCount
        guard self.chunkExcess <= Int64(limit) else {
            throw .limit(
                "the response's chunks have more than \(limit) bytes of framing beyond what their data allows",
                in: .responseBody
            )
        }
    }

    /// Handles the end of the stream: the server has closed its side of the connection.
    ///
    /// - Returns: The end of a body that is delimited by the close.
    /// - Throws: An error if the response is incomplete.
    mutating func finish() throws(TransportError) -> Event? {
        switch self.state {
        case .bodyUntilClose:
            self.state = .complete
            return .end(trailers: nil)
        case .ending, .complete, .tunnel:
            return nil
        case .statusLine, .fieldLines:
            throw .closed(
                "the server closed the connection before the response's head was complete",
                isRequestSent: true
            )
        default:
            throw .closed(
                "the server closed the connection before the response's body was complete",
                in: .responseBody,
                isRequestSent: true
            )
        }
    }

    private static func takeBody(_ buffer: inout ByteBuffer, atMost limit: Int64) -> ByteBuffer? {
        let count = Int(Swift.min(Int64(buffer.readableBytes), limit))
        return count > 0 ? buffer.readSlice(length: count) : nil
    }
}
