// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Reads HTTP/1.x responses from bytes that may be cut anywhere (RFC 9112).
///
/// A pure state machine: the connection feeds what it received, one event comes out per call, and what is left stays in the buffer.
/// Nothing a peer can send makes it trap; everything a peer can grow is counted against ``Limits``.
struct HTTP1ResponseParser {
    /// One thing that was read.
    enum Event {
        /// An informational response (1xx), to be followed by others or by the final head.
        case informational(HTTPResponse.Status, HTTPFields)
        case head(ResponseHead)
        case body(ByteBuffer)
        /// The end of the response, with the trailer fields of a chunked body.
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
        /// Nothing is left to read; the end has not been told yet.
        case ending
        case complete
        case tunnel
    }

    /// The limits of the transport, for requests that have none of their own.
    private let defaultLimits: Limits
    private(set) var limits: Limits
    var state = State.complete
    /// Whether the connection can carry another exchange after this response.
    var keepsConnection = true

    var method = HTTPRequest.Method.get
    var status = HTTPResponse.Status.ok
    var isVersion11 = true
    var fields = HTTPFields()
    var fieldBytes = 0
    var informationalCount = 0
    /// How many of the readable bytes are known to hold no line feed.
    var scannedBytes = 0
    /// The value of the last field, while continuation lines are joined to it; nil where there were none.
    var folded: [UInt8]?
    /// The bytes of chunk framing beyond what the data of the chunks allows.
    private var chunkExcess: Int64 = 0

    init(limits: Limits) {
        self.defaultLimits = limits
        self.limits = limits
    }

    /// Makes ready for the response to a request with this method, and with limits of its own if it has some.
    mutating func begin(method: HTTPRequest.Method, limits: Limits? = nil) {
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

    /// Reads the next event.
    ///
    /// - Parameter buffer: The bytes received and not yet read; what is used is taken from its front.
    /// - Returns: The event, or nil when more bytes are needed.
    /// - Throws: An error if the bytes break the protocol or a limit.
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
                // RFC 9112 section 7.1: the data of a chunk ends with CRLF, nothing else.
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

    /// Refuses a server that sends far more framing than data: it costs work and brings nothing.
    ///
    /// Each chunk may have 16 bytes of framing and two for each byte of its data; what is beyond adds up.
    private mutating func countFraming(lineByteCount: Int, size: Int64) throws(TransportError) {
        let allowed = 16 + 2 * size
        self.chunkExcess = Swift.max(self.chunkExcess + Int64(lineByteCount) + 2 - allowed, 0)
        let limit = self.limits.maximumChunkOverheadByteCount
        guard self.chunkExcess <= Int64(limit) else {
            throw TransportError(
                .limitExceeded,
                phase: .responseBody,
                reason: "the response's chunks have more than \(limit) bytes of framing beyond what their data allows",
                isRequestSent: true
            )
        }
    }

    /// Tells the parser that the peer has closed its side.
    ///
    /// - Returns: The end of a body that is delimited by the close.
    /// - Throws: An error if the response was cut short.
    mutating func finish() throws(TransportError) -> Event? {
        switch self.state {
        case .bodyUntilClose:
            self.state = .complete
            return .end(trailers: nil)
        case .ending, .complete, .tunnel:
            return nil
        case .statusLine, .fieldLines:
            throw TransportError(
                .connectionClosed,
                phase: .responseHead,
                reason: "the peer closed the connection before the response's head was complete",
                isRequestSent: true
            )
        default:
            throw TransportError(
                .connectionClosed,
                phase: .responseBody,
                reason: "the peer closed the connection before the response's body was complete",
                isRequestSent: true
            )
        }
    }

    private static func takeBody(_ buffer: inout ByteBuffer, atMost limit: Int64) -> ByteBuffer? {
        let count = Int(Swift.min(Int64(buffer.readableBytes), limit))
        return count > 0 ? buffer.readSlice(length: count) : nil
    }
}
