// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Parses the head: status line, field lines, and how they delimit the body.
///
/// Lines are parsed in the receive buffer without copying; only the fields themselves are copied.
extension HTTP1ResponseParser {
    /// Reads lines until the head, or the trailer section, is complete.
    ///
    /// - Returns: The event; nil when more bytes are needed.
    mutating func readLines(_ buffer: inout ByteBuffer) throws(TransportError) -> Event? {
        var consumed = 0
        let result = buffer.withUnsafeReadableBytes { bytes -> Result<Event?, TransportError> in
            do throws(TransportError) {
                return .success(try self.readLines(bytes, &consumed))
            } catch {
                return .failure(error)
            }
        }
        buffer.moveReaderIndex(forwardBy: consumed)
        return try result.get()
    }

    private mutating func readLines(
        _ bytes: UnsafeRawBufferPointer,
        _ consumed: inout Int
    ) throws(TransportError) -> Event? {
        // A server that speaks another protocol may never send a line feed.
        if self.state == .statusLine, !"HTTP/1.".utf8.starts(with: bytes.prefix(7)) { throw .notAStatusLine }
        let limit =
            self.state == .trailerLines ? self.limits.maximumTrailerByteCount : self.limits.maximumHeadByteCount
        while let line = try self.takeLine(bytes, &consumed, limit: limit) {
            if self.folded != nil, !line.isContinuation { self.endFold() }
            if self.state == .statusLine {
                try self.readStatusLine(line)
                self.state = .fieldLines
            } else if !line.isEmpty {
                try self.readFieldLine(line)
            } else if self.state == .trailerLines {
                self.state = .complete
                return .end(trailers: self.fields.isEmpty ? nil : self.fields)
            } else {
                return try self.endHead()
            }
        }
        return nil
    }

    /// Reads a chunk-size line.
    ///
    /// - Returns: The size; nil when more bytes are needed.
    mutating func readChunkSize(_ buffer: inout ByteBuffer) throws(TransportError) -> Int64? {
        var consumed = 0
        let result = buffer.withUnsafeReadableBytes { bytes -> Result<Int64?, TransportError> in
            do throws(TransportError) {
                let limit = self.limits.maximumChunkLineByteCount
                guard let line = try self.takeLine(bytes, &consumed, limit: limit) else { return .success(nil) }
                return .success(try HTTP1ChunkSize.parse(line))
            } catch {
                return .failure(error)
            }
        }
        buffer.moveReaderIndex(forwardBy: consumed)
        return try result.get()
    }

    /// Returns the next line without its line ending; nil if the line is incomplete.
    private mutating func takeLine(
        _ bytes: UnsafeRawBufferPointer,
        _ consumed: inout Int,
        limit: Int
    ) throws(TransportError) -> UnsafeRawBufferPointer? {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[consumed...])
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n"), from: self.scannedBytes) else {
            self.scannedBytes = rest.count
            if self.fieldBytes + rest.count > limit { throw .headTooLarge(limit: limit) }
            return nil
        }
        self.fieldBytes += end + 1
        if self.fieldBytes > limit { throw .headTooLarge(limit: limit) }
        self.scannedBytes = 0
        consumed += end + 1
        if end > 0, rest[end - 1] == UInt8(ascii: "\r") { return UnsafeRawBufferPointer(rebasing: rest[..<(end - 1)]) }
        // RFC 9112 section 2.2 allows a head line to end in a bare LF; in chunked framing that would be ambiguous.
        if self.state == .chunkSize { throw .violation("a chunk-size line does not end in CRLF") }
        return UnsafeRawBufferPointer(rebasing: rest[..<end])
    }

    private mutating func readStatusLine(_ line: UnsafeRawBufferPointer) throws(TransportError) {
        // status-line = HTTP-version SP status-code SP [ reason-phrase ] (RFC 9112 section 4); servers often omit the
        // last SP. The name and the major version have been checked.
        guard line.count >= 12, let minor = Self.digit(line[7]),
            line[8] == UInt8(ascii: " "), let hundreds = Self.digit(line[9]), let tens = Self.digit(line[10]),
            let ones = Self.digit(line[11]), hundreds > 0, line.count == 12 || line[12] == UInt8(ascii: " ")
        else { throw .notAStatusLine }
        let reason = line.dropFirst(13)
        guard reason.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .violation("the response's reason phrase holds control characters")
        }
        self.isVersion11 = minor >= 1
        let code = hundreds * 100 + tens * 10 + ones
        // The most common reason phrase is not stored.
        self.status =
            code == 200 && reason.elementsEqual("OK".utf8)
            ? .ok : HTTPResponse.Status(code: code, reasonPhrase: String(decoding: reason, as: UTF8.self))
        self.fields = HTTPFields()
        // Most heads have fewer fields.
        self.fields.reserveCapacity(12)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        let value = Int(byte) - 0x30
        return (0...9).contains(value) ? value : nil
    }

    private mutating func readFieldLine(_ line: UnsafeRawBufferPointer) throws(TransportError) {
        if line.isContinuation { return try self.unfold(line) }
        guard self.fields.count < Swift.min(self.limits.maximumFieldCount, 60_000) else {
            throw .limit("the response has more than \(self.limits.maximumFieldCount) header fields")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":"), from: 0),
            let name = HTTP1FieldNames.name(UnsafeRawBufferPointer(rebasing: line[..<colon]))
        else {
            throw .violation("a header line of the response has no valid field name")
        }
        let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingBlanks()
        try Self.checkValue(value)
        self.fields.append(Self.field(name, value))
    }

    /// Creates a field; its value is stored as a string if possible, which is quick to decide for printable ASCII.
    private static func field(_ name: HTTPField.Name, _ value: UnsafeRawBufferPointer) -> HTTPField {
        guard value.isPrintableASCII else { return HTTPField(name: name, lenientValue: value) }
        return HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
    }

    /// Appends a continuation line to the previous field, as RFC 9112 section 5.2 requires of a user agent.
    private mutating func unfold(_ line: UnsafeRawBufferPointer) throws(TransportError) {
        guard let last = self.fields.last else {
            throw .violation("the first header line of the response is a continuation")
        }
        let more = line.trimmingBlanks()
        try Self.checkValue(more)
        // The value is assembled once, after its last line.
        var value = self.folded.take() ?? last.withUnsafeBytesOfValue { Array($0) }
        value.append(UInt8(ascii: " "))
        value.append(contentsOf: more)
        self.folded = value
    }

    /// Completes a field whose value continued over several lines.
    private mutating func endFold() {
        guard let value = self.folded.take(), let last = self.fields.last else { return }
        self.fields[self.fields.endIndex - 1] = HTTPField(name: last.name, lenientValue: value)
    }

    private static func checkValue(_ value: UnsafeRawBufferPointer) throws(TransportError) {
        // RFC 9110 section 5.5: CR, LF and NUL are dangerous; a line contains no LF.
        guard value.firstIndex(of: 0x0D, from: 0) == nil, value.firstIndex(of: 0, from: 0) == nil else {
            throw .violation("a header value of the response holds CR or NUL")
        }
    }

    mutating func endHead() throws(TransportError) -> Event? {
        let fields = self.fields
        self.fields = HTTPFields()
        if self.status.code < 200, self.status.code != 101 {
            self.informationalCount += 1
            let limit = self.limits.maximumInformationalResponseCount
            guard self.informationalCount <= limit else { throw .tooManyInformationalResponses(limit) }
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
        self.idleLimit = framing.idleLimit ?? self.idleLimit
        self.state =
            switch framing.body {
            case .none: .ending
            case .fixed(let length): length == 0 ? .ending : .fixedBody(remaining: length)
            case .chunked: .chunkSize
            case .untilClose: .bodyUntilClose
            case .tunnel: .tunnel
            }
        // Each chunk-size line is counted on its own.
        self.fieldBytes = 0
        return .head(ResponseHead(status: self.status, headers: fields, contentLength: framing.contentLength))
    }
}

extension TransportError {
    /// The server violated the protocol.
    static func violation(_ reason: String) -> TransportError {
        TransportError(.protocolViolation, phase: .responseHead, reason: reason, isRequestSent: true)
    }

    /// The server exceeded a limit.
    static func limit(_ reason: String, in phase: Phase = .responseHead) -> TransportError {
        TransportError(.limitExceeded, phase: phase, reason: reason, isRequestSent: true)
    }

    /// The server closed the connection, or ended the exchange.
    static func closed(_ reason: String, in phase: Phase = .responseHead, isRequestSent: Bool) -> TransportError {
        TransportError(.connectionClosed, phase: phase, reason: reason, isRequestSent: isRequestSent)
    }

    static func tooManyInformationalResponses(_ limit: Int) -> TransportError {
        .limit("the server sent more than \(limit) informational responses")
    }

    fileprivate static var notAStatusLine: TransportError {
        var error = TransportError.violation("the response does not begin with an HTTP/1 status line")
        error.cause = .notHTTP
        return error
    }

    fileprivate static func headTooLarge(limit: Int) -> TransportError {
        .limit("the response's header lines are longer than the limit of \(limit) bytes")
    }
}
