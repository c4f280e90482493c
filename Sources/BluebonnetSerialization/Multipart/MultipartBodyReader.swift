// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Reads a form from its first byte to its last.
///
/// Every part goes through four phases: opening boundary, headers, body, and after the last part the closing boundary. A phase can be
/// spread over many reads, and one read goes on through as many phases and parts as the caller's buffer has room for. Reading allocates
/// nothing except when a file or a stream is opened; files are read straight into the caller's buffer.
public struct MultipartBodyReader: BodyReader {
    private enum Phase {
        case opening, headers, body, closing, done
    }

    private let parts: [BodyPart]
    private let throttling: MultipartFormData.Throttling?
    private let firstOpening: [UInt8]
    private let laterOpening: [UInt8]
    private let closing: [UInt8]

    private var phase: Phase
    private var partIndex = 0
    /// How many bytes of the present phase have been given.
    private var offset = 0
    /// The body of the present part, unless it lies in memory.
    private var reader: (any BodyReader)?
    private var hasBegun = false

    init(_ form: MultipartFormData) {
        self.parts = form.parts
        self.throttling = form.throttling
        self.firstOpening = Array("--\(form.boundary)\r\n".utf8)
        self.laterOpening = Array("\r\n--\(form.boundary)\r\n".utf8)
        self.closing = Array("\r\n--\(form.boundary)--\r\n".utf8)
        self.phase = form.parts.isEmpty ? .done : .opening
    }

    /// Fills the buffer with the body's next bytes; only the last read before the end gives fewer than fit, or than the throttle allows.
    ///
    /// - Parameter buffer: Where the bytes go.
    /// - Returns: How many bytes were written, or 0 at the end.
    /// - Throws: ``SerializationError``, naming the part, when a file or a stream cannot be read or gives another number of bytes
    ///   than it promised.
    public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(SerializationError) -> Int {
        let room = min(buffer.count, self.throttling?.packetSize ?? .max)
        self.pause()
        var count = 0
        while count < room, self.phase != .done {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<room])
            switch self.phase {
            case .opening:
                count += self.copy(
                    self.partIndex == 0 ? self.firstOpening : self.laterOpening,
                    into: rest,
                    then: .headers
                )
            case .headers:
                count += self.copy(self.parts[self.partIndex].headerBytes, into: rest, then: .body)
                if self.phase == .body { self.reader = try self.parts[self.partIndex].makeReader() }
            case .body:
                count += try self.readBody(into: rest)
            case .closing:
                count += self.copy(self.closing, into: rest, then: .done)
            case .done:
                break
            }
        }
        return count
    }

    private mutating func copy(
        _ bytes: [UInt8],
        into buffer: UnsafeMutableRawBufferPointer,
        then next: Phase
    ) -> Int {
        let count = min(bytes.count - self.offset, buffer.count)
        bytes.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[self.offset..<self.offset + count]))
        }
        self.offset += count
        if self.offset == bytes.count { self.enter(next) }
        return count
    }

    private mutating func readBody(into buffer: UnsafeMutableRawBufferPointer) throws(SerializationError) -> Int {
        if case .data(let data) = self.parts[self.partIndex].source {
            let count = data.copyBytes(from: self.offset, into: buffer)
            self.offset += count
            if self.offset == data.count { self.leaveBody() }
            return count
        }
        let label = self.parts[self.partIndex].label
        let count = try self.reader?.readChecked(into: buffer, subject: label) ?? 0
        if count == 0 { self.leaveBody() }
        return count
    }

    private mutating func leaveBody() {
        self.reader = nil
        if self.partIndex + 1 < self.parts.count {
            self.partIndex += 1
            self.enter(.opening)
        } else {
            self.enter(.closing)
        }
    }

    private mutating func enter(_ phase: Phase) {
        self.phase = phase
        self.offset = 0
    }

    private mutating func pause() {
        guard let throttling else { return }
        if self.hasBegun, self.phase != .done { Pause.sleep(throttling.delay) }
        self.hasBegun = true
    }
}
