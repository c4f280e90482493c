// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import NIOCore

/// Interprets an event stream (WHATWG HTML section 9.2.6), in time proportional to its length.
///
/// Fields are compared byte by byte, and text is decoded only when it is complete, so the stream may be split anywhere.
struct EventStreamParser: StreamParser {
    private static let lineFeed = UInt8(ascii: "\n")

    private let limits: EventLimits
    /// The decoder of the events' data; nil for one with its defaults.
    private let decoder: ResponseDecoder?
    private var lines: StreamSplitter
    /// The data buffer of the standard: the data fields, each followed by a LF.
    private var data = ByteBuffer()
    /// The event type buffer.
    private var type: String?
    /// The last event ID buffer; it becomes ``lastEventID`` at the end of a block.
    private var idBuffer: String

    /// The last event ID, at the end of the last block.
    private(set) var lastEventID: String

    /// The last `retry` of the server; nil if it has sent none.
    private(set) var reconnectionTime: Duration?

    init(limits: EventLimits = EventLimits(), lastEventID: String = "", decoder: ResponseDecoder? = nil) {
        self.limits = limits
        self.decoder = decoder
        self.lines = StreamSplitter(at: .anyLineEnd, limit: limits.lineByteCount)
        self.lastEventID = lastEventID
        self.idBuffer = lastEventID
    }

    mutating func append(_ buffer: ByteBuffer) {
        self.lines.append(buffer)
    }

    mutating func next() throws(SessionError) -> ServerSentEvent? {
        while var line = try self.lines.next() {
            // The stream may begin with one byte order mark.
            if self.lines.count == 1 { line.skip([0xEF, 0xBB, 0xBF]) }
            if line.readableBytes == 0 {
                if let event = self.dispatch() { return event }
            } else {
                try self.interpret(line)
            }
        }
        return nil
    }

    /// An incomplete block, without its empty line, is dropped.
    mutating func finish() throws(SessionError) -> ServerSentEvent? { nil }

    /// The event that an empty line completes; nil if it has no data.
    private mutating func dispatch() -> ServerSentEvent? {
        self.lastEventID = self.idBuffer
        let type = self.type.take()
        guard self.data.readableBytes > 0 else { return nil }
        // Without the LF after the last field.
        let text = String(decoding: self.data.readableBytesView.dropLast(), as: UTF8.self)
        // The storage is reused, unless it is large.
        if self.data.capacity > 64 * 1024 { self.data = ByteBuffer() } else { self.data.clear() }
        let eventType = type ?? ServerSentEvent.defaultType
        var event = ServerSentEvent(type: eventType, data: text, lastEventID: self.lastEventID)
        event.decoder = self.decoder
        return event
    }

    private mutating func interpret(_ line: ByteBuffer) throws(SessionError) {
        let colon = line.readableBytesView.firstIndex(of: UInt8(ascii: ":"))
        // A comment.
        if colon == line.readerIndex { return }
        let name = line.readableBytesView[..<(colon ?? line.writerIndex)]
        var value = line
        value.moveReaderIndex(to: colon.map { $0 + 1 } ?? line.writerIndex)
        value.skip([0x20])
        // Unknown names are ignored.
        if name.elementsEqual("data".utf8) {
            try self.appendData(&value)
        } else if name.elementsEqual("event".utf8) {
            self.type = value.readableBytes > 0 ? value.text : nil
        } else if name.elementsEqual("id".utf8) {
            try self.setID(value)
        } else if name.elementsEqual("retry".utf8) {
            if let time = value.milliseconds { self.reconnectionTime = time }
        }
    }

    private mutating func appendData(_ value: inout ByteBuffer) throws(SessionError) {
        let limit = min(self.limits.eventByteCount, StreamSplitter.largestLimit)
        guard self.data.readableBytes + value.readableBytes <= limit else {
            throw Self.tooLong("the data of an event", limit)
        }
        self.data.writeBuffer(&value)
        self.data.writeInteger(Self.lineFeed)
    }

    private mutating func setID(_ value: ByteBuffer) throws(SessionError) {
        guard !value.readableBytesView.contains(0) else { return }
        guard value.readableBytes <= self.limits.idByteCount else {
            throw Self.tooLong("the id of an event", self.limits.idByteCount)
        }
        self.idBuffer = value.text
    }

    private static func tooLong(_ what: String, _ limit: Int) -> SessionError {
        SessionError(
            .limitExceeded,
            reason: "\(what) is longer than the limit of \(limit) bytes",
            isRequestSent: true
        )
    }
}

extension ByteBuffer {
    fileprivate var text: String { String(decoding: self.readableBytesView, as: UTF8.self) }

    /// Skips bytes if they come next.
    fileprivate mutating func skip(_ bytes: [UInt8]) {
        if self.readableBytesView.starts(with: bytes) { self.moveReaderIndex(forwardBy: bytes.count) }
    }

    /// A number of milliseconds in ASCII digits; nil for anything else.
    ///
    /// A larger number is reduced to the largest.
    fileprivate var milliseconds: Duration? {
        // At most a hundred years, so that the duration cannot overflow.
        self.readableBytesView.decimalNumber(clampedTo: 3_155_760_000_000 as Int64).map { .milliseconds($0) }
    }
}
