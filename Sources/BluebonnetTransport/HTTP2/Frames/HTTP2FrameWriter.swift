// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Encodes frames (RFC 9113 section 6), appending each to a buffer.
enum HTTP2FrameWriter {
    /// The client connection preface (section 3.4).
    static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    static func header(length: Int, kind: UInt8, flags: UInt8, stream: UInt32, into buffer: inout ByteBuffer) {
        buffer.writeMultipleIntegers(
            UInt8(truncatingIfNeeded: length >> 16),
            UInt16(truncatingIfNeeded: length),
            kind,
            flags,
            stream
        )
    }

    static func settings(_ settings: [(identifier: UInt16, value: UInt32)], into buffer: inout ByteBuffer) {
        Self.header(length: settings.count * 6, kind: HTTP2Frame.Kind.settings, flags: 0, stream: 0, into: &buffer)
        for (identifier, value) in settings { buffer.writeMultipleIntegers(identifier, value) }
    }

    static func settingsAcknowledgement(into buffer: inout ByteBuffer) {
        Self.header(
            length: 0,
            kind: HTTP2Frame.Kind.settings,
            flags: HTTP2Frame.Flag.acknowledgement,
            stream: 0,
            into: &buffer
        )
    }

    /// Encodes a field block, split into CONTINUATION frames if it exceeds the frame size.
    static func headers(
        _ block: ByteBuffer,
        stream: UInt32,
        isEnd: Bool,
        maximumFrameSize: Int,
        into buffer: inout ByteBuffer
    ) {
        var block = block
        var kind = HTTP2Frame.Kind.headers
        var flags = isEnd ? HTTP2Frame.Flag.endStream : 0
        repeat {
            let length = Swift.min(block.readableBytes, maximumFrameSize)
            if length == block.readableBytes { flags |= HTTP2Frame.Flag.endHeaders }
            Self.header(length: length, kind: kind, flags: flags, stream: stream, into: &buffer)
            if var piece = block.readSlice(length: length) { buffer.writeBuffer(&piece) }
            kind = HTTP2Frame.Kind.continuation
            flags = 0
        } while block.readableBytes > 0
    }

    /// Encodes one DATA frame; the data is copied behind its header, so that both are one write.
    static func data(_ bytes: ByteBuffer, stream: UInt32, isEnd: Bool, into buffer: inout ByteBuffer) {
        Self.header(
            length: bytes.readableBytes,
            kind: HTTP2Frame.Kind.data,
            flags: isEnd ? HTTP2Frame.Flag.endStream : 0,
            stream: stream,
            into: &buffer
        )
        buffer.writeImmutableBuffer(bytes)
    }

    static func reset(stream: UInt32, code: HTTP2ErrorCode, into buffer: inout ByteBuffer) {
        Self.header(length: 4, kind: HTTP2Frame.Kind.reset, flags: 0, stream: stream, into: &buffer)
        buffer.writeInteger(code.rawValue)
    }

    static func windowUpdate(stream: UInt32, increment: Int, into buffer: inout ByteBuffer) {
        Self.header(length: 4, kind: HTTP2Frame.Kind.windowUpdate, flags: 0, stream: stream, into: &buffer)
        buffer.writeInteger(UInt32(truncatingIfNeeded: increment))
    }

    static func ping(_ value: UInt64, isAcknowledgement: Bool, into buffer: inout ByteBuffer) {
        let flags = isAcknowledgement ? HTTP2Frame.Flag.acknowledgement : 0
        Self.header(length: 8, kind: HTTP2Frame.Kind.ping, flags: flags, stream: 0, into: &buffer)
        buffer.writeInteger(value)
    }

    static func goAway(code: HTTP2ErrorCode, into buffer: inout ByteBuffer) {
        // A server cannot open streams, so the last stream identifier is 0.
        Self.header(length: 8, kind: HTTP2Frame.Kind.goAway, flags: 0, stream: 0, into: &buffer)
        buffer.writeMultipleIntegers(UInt32(0), code.rawValue)
    }
}
