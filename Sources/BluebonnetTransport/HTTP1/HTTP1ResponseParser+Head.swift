// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// The head: status line, field lines, and what they say about the body.
extension HTTP1ResponseParser {
    mutating func takeLine(_ buffer: inout ByteBuffer, limit: Int) throws(TransportError) -> ByteBuffer? {
        let readable = buffer.readableBytesView
        let unscanned = readable.dropFirst(self.scannedBytes)
        guard let end = unscanned.firstIndex(of: UInt8(ascii: "\n")) else {
            self.scannedBytes = readable.count
            if self.fieldBytes + readable.count > limit { throw .headTooLarge(limit: limit) }
            return nil
        }
        let length = end - readable.startIndex
        self.fieldBytes += length + 1
        if self.fieldBytes > limit { throw .headTooLarge(limit: limit) }
        self.scannedBytes = 0
        guard var line = buffer.readSlice(length: length) else { return nil }
        buffer.moveReaderIndex(forwardBy: 1)
        let isChunkLine = self.state == .chunkSize
        if line.readableBytesView.last == UInt8(ascii: "\r") {
            line.moveWriterIndex(to: line.writerIndex - 1)
        } else if isChunkLine {
            // RFC 9112 section 2.2 lets a head line end in a bare LF; in chunk framing that would be an ambiguity.
            throw .violation("a chunk-size line does not end in CRLF")
        }
        if isChunkLine { self.fieldBytes = 0 }
        return line
    }

    mutating func readStatusLine(_ line: ByteBuffer) throws(TransportError) {
        // status-line = HTTP-version SP status-code SP [ reason-phrase ] (RFC 9112 section 4); the last SP is often missing.
        let bytes = line.readableBytesView
        let start = bytes.startIndex
        guard bytes.count >= 12, bytes.starts(with: "HTTP/1.".utf8),
            let minor = Self.digit(bytes[start + 7]), bytes[start + 8] == UInt8(ascii: " "),
            let hundreds = Self.digit(bytes[start + 9]), let tens = Self.digit(bytes[start + 10]),
            let ones = Self.digit(bytes[start + 11]), hundreds > 0,
            bytes.count == 12 || bytes[start + 12] == UInt8(ascii: " ")
        else { throw .violation("the reply does not begin with an HTTP/1 status line") }
        let reason = bytes.dropFirst(13)
        guard reason.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .violation("the reply's reason phrase holds control characters")
        }
        self.isVersion11 = minor >= 1
        self.status = HTTPResponse.Status(
            code: hundreds * 100 + tens * 10 + ones,
            reasonPhrase: String(decoding: reason, as: UTF8.self)
        )
        self.fields = HTTPFields()
    }

    private static func digit(_ byte: UInt8) -> Int? {
        let value = Int(byte) - 0x30
        return (0...9).contains(value) ? value : nil
    }

    mutating func readFieldLine(_ line: ByteBuffer) throws(TransportError) {
        let bytes = line.readableBytesView
        if let first = bytes.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            return try self.unfold(bytes)
        }
        guard self.fields.count < Swift.min(self.limits.maximumFieldCount, 60_000) else {
            throw TransportError(
                .limitExceeded,
                phase: .head,
                reason: "the reply has more than \(self.limits.maximumFieldCount) header fields",
                isRequestSent: true
            )
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let name = HTTP1FieldNames.name(bytes[..<colon])
        else {
            throw .violation("a header line of the reply has no valid field name")
        }
        let value = bytes[bytes.index(after: colon)...].trimmingBlanks()
        try Self.checkValue(value)
        self.fields.append(HTTPField(name: name, lenientValue: value))
    }

    /// Joins a continuation line to the field before it, as RFC 9112 section 5.2 asks of a user agent.
    private mutating func unfold(_ bytes: ByteBufferView) throws(TransportError) {
        guard var last = self.fields.last else {
            throw .violation("the first header line of the reply is a continuation")
        }
        let more = bytes.trimmingBlanks()
        try Self.checkValue(more)
        let joined = last.withUnsafeBytesOfValue { Array($0) } + [UInt8(ascii: " ")] + Array(more)
        last = HTTPField(name: last.name, lenientValue: joined)
        self.fields[self.fields.endIndex - 1] = last
    }

    private static func checkValue(_ value: ByteBufferView) throws(TransportError) {
        // RFC 9110 section 5.5: CR, LF and NUL are dangerous; a line holds no LF already.
        if value.contains(where: { $0 == 0 || $0 == 0x0D }) {
            throw .violation("a header value of the reply holds CR or NUL")
        }
    }

    mutating func endHead() throws(TransportError) -> Event? {
        let fields = self.fields
        self.fields = HTTPFields()
        if self.status.code < 200, self.status.code != 101 {
            self.informationalCount += 1
            guard self.informationalCount <= self.limits.maximumInformationalReplyCount else {
                throw TransportError(
                    .limitExceeded,
                    phase: .head,
                    reason:
                        "the peer sent more than \(self.limits.maximumInformationalReplyCount) informational replies",
                    isRequestSent: true
                )
            }
            self.state = .statusLine
            self.fieldBytes = 0
            return .informational(self.status, fields)
        }
        let framing = try HTTP1Framing(
            status: self.status,
            fields: fields,
            method: self.method,
            isVersion11: self.isVersion11
        )
        self.keepsConnection = framing.keepsConnection
        self.state =
            switch framing.body {
            case .none: .ending
            case .fixed(let length): length == 0 ? .ending : .fixedBody(remaining: length)
            case .chunked: .chunkSize
            case .untilClose: .bodyUntilClose
            case .tunnel: .tunnel
            }
        // The chunk-size lines are counted one by one.
        self.fieldBytes = 0
        return .head(ReplyHead(status: self.status, headers: fields, contentLength: framing.contentLength))
    }
}

extension ByteBufferView {
    /// The view without spaces and tabs at its ends (RFC 9110 section 5.6.3, OWS).
    fileprivate func trimmingBlanks() -> ByteBufferView {
        var view = self
        while let first = view.first, first == 0x20 || first == 0x09 { view = view.dropFirst() }
        while let last = view.last, last == 0x20 || last == 0x09 { view = view.dropLast() }
        return view
    }
}

extension TransportError {
    /// The peer broke the protocol.
    static func violation(_ reason: String) -> TransportError {
        TransportError(.protocolViolation, phase: .head, reason: reason, isRequestSent: true)
    }

    fileprivate static func headTooLarge(limit: Int) -> TransportError {
        TransportError(
            .limitExceeded,
            phase: .head,
            reason: "the reply's header lines are longer than the limit of \(limit) bytes",
            isRequestSent: true
        )
    }
}
