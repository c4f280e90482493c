// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Parses frames from bytes that may be split anywhere (RFC 9113 section 4).
///
/// It is a pure state machine; no input makes it trap, and it stores at most one frame and one field block. The data of
/// a frame that was received completely is not copied.
struct HTTP2FrameReader {
    /// The largest allowed payload; we never announce another value.
    static let maximumFrameSize = 16 * 1024
    /// The maximum number of CONTINUATION frames of one field block; empty ones could otherwise continue forever.
    private static let maximumContinuationCount = 64

    /// An incomplete field block.
    private struct Block {
        let stream: UInt32
        let isEnd: Bool
        var bytes = ByteBuffer()
        /// The size of its frames so far.
        var byteCount = 0
        var continuationCount = 0
    }

    private let maximumBlockSize: Int
    /// The received part of an incomplete frame.
    private var partial = ByteBuffer()
    private var block: Block?
    /// Whether the first frame, which must be SETTINGS, has arrived.
    private var hasBegun = false

    init(limits: TransportLimits) {
        self.maximumBlockSize = limits.maximumHeadByteCount
    }

    /// Parses the next frame.
    ///
    /// - Parameter bytes: The received bytes; parsed bytes are removed from its front, all of them if nil is returned.
    /// - Returns: The frame; nil if more bytes are needed.
    /// - Throws: A fault if the bytes violate the protocol or a limit.
    mutating func next(_ bytes: inout ByteBuffer) throws(HTTP2Error) -> HTTP2Frame? {
        while true {
            guard let raw = try self.takeRaw(&bytes) else { return nil }
            if let frame = try self.interpret(raw) { return frame }
        }
    }

    // MARK: Framing

    private struct Raw {
        let kind: UInt8
        let flags: UInt8
        let stream: UInt32
        var payload: ByteBuffer

        /// The size of the frame.
        var byteCount: Int { HTTP2Frame.headerSize + self.payload.readableBytes }

        func has(_ flag: UInt8) -> Bool { self.flags & flag != 0 }
    }

    private mutating func takeRaw(_ bytes: inout ByteBuffer) throws(HTTP2Error) -> Raw? {
        if self.partial.readableBytes == 0 {
            if let raw = try self.parse(&bytes) { return raw }
            self.partial = ByteBuffer(bytes: bytes.readableBytesView)
            bytes.moveReaderIndex(to: bytes.writerIndex)
            return nil
        }
        // Only the frame that was split is assembled; the frames behind it are parsed in place.
        self.fill(to: HTTP2Frame.headerSize, from: &bytes)
        guard let length = try self.length(of: self.partial) else { return nil }
        self.fill(to: HTTP2Frame.headerSize + length, from: &bytes)
        var whole = self.partial
        guard let raw = try self.parse(&whole) else { return nil }
        self.partial = ByteBuffer()
        return raw
    }

    private mutating func fill(to count: Int, from bytes: inout ByteBuffer) {
        let missing = Swift.min(count - self.partial.readableBytes, bytes.readableBytes)
        guard missing > 0, var piece = bytes.readSlice(length: missing) else { return }
        self.partial.writeBuffer(&piece)
    }

    /// Returns the length of the payload; nil if the frame header is incomplete.
    private func length(of bytes: ByteBuffer) throws(HTTP2Error) -> Int? {
        let start = bytes.readerIndex
        guard bytes.readableBytes >= HTTP2Frame.headerSize, let high = bytes.getInteger(at: start, as: UInt8.self),
            let low = bytes.getInteger(at: start + 1, as: UInt16.self)
        else { return nil }
        let length = Int(high) << 16 | Int(low)
        // The first frame must be SETTINGS, and not an acknowledgement (section 3.4).
        if !self.hasBegun,
            (bytes.getInteger(at: start + 3, as: UInt16.self) ?? 0) & 0xFF01 != UInt16(HTTP2Frame.Kind.settings) << 8
        {
            throw .violation("the server does not speak HTTP/2: what it sent is something else")
        }
        guard length <= Self.maximumFrameSize else {
            throw .violation(
                "the server sent a frame of \(length) bytes, more than SETTINGS_MAX_FRAME_SIZE allows",
                .frameSizeError
            )
        }
        return length
    }

    private mutating func parse(_ bytes: inout ByteBuffer) throws(HTTP2Error) -> Raw? {
        guard let length = try self.length(of: bytes), bytes.readableBytes >= HTTP2Frame.headerSize + length else {
            return nil
        }
        bytes.moveReaderIndex(forwardBy: 3)
        guard let kind = bytes.readInteger(as: UInt8.self), let flags = bytes.readInteger(as: UInt8.self),
            let stream = bytes.readInteger(as: UInt32.self), let payload = bytes.readSlice(length: length)
        else { return nil }
        self.hasBegun = true
        return Raw(kind: kind, flags: flags, stream: stream & 0x7FFF_FFFF, payload: payload)
    }

    // MARK: Interpreting

    /// Returns the frame; nil for a part of a field block.
    private mutating func interpret(_ raw: Raw) throws(HTTP2Error) -> HTTP2Frame? {
        if self.block != nil, raw.kind != HTTP2Frame.Kind.continuation {
            throw .violation("the server interrupted a header block")
        }
        var raw = raw
        switch raw.kind {
        case HTTP2Frame.Kind.data:
            try Self.requireStream(raw)
            let flowLength = raw.payload.readableBytes
            try Self.removePadding(&raw)
            let isEnd = raw.has(HTTP2Frame.Flag.endStream)
            return .data(stream: raw.stream, bytes: raw.payload, flowLength: flowLength, isEnd: isEnd)
        case HTTP2Frame.Kind.headers:
            try Self.requireStream(raw)
            let block = Block(stream: raw.stream, isEnd: raw.has(0x1), byteCount: raw.byteCount)
            try Self.removePadding(&raw)
            if raw.has(HTTP2Frame.Flag.priority) {
                guard raw.payload.readableBytes >= 5 else { throw .wrongSize("HEADERS") }
                raw.payload.moveReaderIndex(forwardBy: 5)
            }
            return try self.add(raw, to: block)
        case HTTP2Frame.Kind.continuation:
            guard var block, block.stream == raw.stream else {
                throw .violation("the server sent CONTINUATION outside a header block")
            }
            block.continuationCount += 1
            block.byteCount += raw.byteCount
            self.block = nil
            return try self.add(raw, to: block)
        case HTTP2Frame.Kind.reset:
            try Self.requireStream(raw)
            guard raw.payload.readableBytes == 4, let code = raw.payload.readInteger(as: UInt32.self) else {
                throw .wrongSize("RST_STREAM")
            }
            return .reset(stream: raw.stream, code: HTTP2ErrorCode(rawValue: code))
        case HTTP2Frame.Kind.pushPromise:
            throw .violation("the server sent PUSH_PROMISE although push is disabled")
        case HTTP2Frame.Kind.windowUpdate:
            return try Self.windowUpdate(&raw)
        case HTTP2Frame.Kind.settings, HTTP2Frame.Kind.ping, HTTP2Frame.Kind.goAway:
            return try Self.connectionFrame(&raw)
        default:
            return .ignored
        }
    }

    private mutating func add(_ raw: Raw, to block: Block) throws(HTTP2Error) -> HTTP2Frame? {
        var block = block
        guard block.bytes.readableBytes + raw.payload.readableBytes <= self.maximumBlockSize,
            block.continuationCount <= Self.maximumContinuationCount
        else {
            throw .limit("the response's header fields are larger than the limit of \(self.maximumBlockSize) bytes")
        }
        var payload = raw.payload
        if block.bytes.readableBytes == 0 { block.bytes = payload } else { block.bytes.writeBuffer(&payload) }
        guard raw.has(HTTP2Frame.Flag.endHeaders) else {
            self.block = block
            return nil
        }
        return .headers(
            stream: block.stream,
            block: block.bytes,
            isEnd: block.isEnd,
            byteCount: block.byteCount
        )
    }

    private static func windowUpdate(_ raw: inout Raw) throws(HTTP2Error) -> HTTP2Frame {
        guard raw.payload.readableBytes == 4, let value = raw.payload.readInteger(as: UInt32.self) else {
            throw .wrongSize("WINDOW_UPDATE")
        }
        return .windowUpdate(stream: raw.stream, increment: Int(value & 0x7FFF_FFFF))
    }

    private static func connectionFrame(_ raw: inout Raw) throws(HTTP2Error) -> HTTP2Frame {
        guard raw.stream == 0 else { throw .violation("the server sent a connection frame on a stream") }
        let isAcknowledgement = raw.has(HTTP2Frame.Flag.acknowledgement)
        switch raw.kind {
        case HTTP2Frame.Kind.ping:
            guard raw.payload.readableBytes == 8, let value = raw.payload.readInteger(as: UInt64.self) else {
                throw .wrongSize("PING")
            }
            return isAcknowledgement ? .pingAcknowledgement : .ping(value)
        case HTTP2Frame.Kind.goAway:
            guard let last = raw.payload.readInteger(as: UInt32.self),
                let code = raw.payload.readInteger(as: UInt32.self)
            else { throw .wrongSize("GOAWAY") }
            return .goAway(lastStream: last & 0x7FFF_FFFF, code: HTTP2ErrorCode(rawValue: code))
        default:
            if isAcknowledgement {
                guard raw.payload.readableBytes == 0 else { throw .wrongSize("SETTINGS") }
                return .settingsAcknowledgement
            }
            guard raw.payload.readableBytes % 6 == 0 else { throw .wrongSize("SETTINGS") }
            var settings = [(identifier: UInt16, value: UInt32)]()
            while let identifier = raw.payload.readInteger(as: UInt16.self),
                let value = raw.payload.readInteger(as: UInt32.self)
            {
                settings.append((identifier, value))
            }
            return .settings(settings)
        }
    }

    private static func requireStream(_ raw: Raw) throws(HTTP2Error) {
        guard raw.stream != 0 else { throw .violation("the server sent a stream frame on stream 0") }
    }

    private static func removePadding(_ raw: inout Raw) throws(HTTP2Error) {
        guard raw.has(HTTP2Frame.Flag.padded) else { return }
        guard let padding = raw.payload.readInteger(as: UInt8.self), Int(padding) <= raw.payload.readableBytes else {
            throw .violation("the server padded a frame beyond its length")
        }
        raw.payload.moveWriterIndex(to: raw.payload.writerIndex - Int(padding))
    }
}

extension HTTP2Error {
    fileprivate static func wrongSize(_ name: String) -> HTTP2Error {
        .violation("the server sent a \(name) frame of the wrong size", .frameSizeError)
    }
}
