// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import Synchronization

/// Encodes a body while it is read.
///
/// While the body has nothing, the encoder is flushed: what has come is sent, and no thread waits for the rest.
final class EncodedBodyReader: BodyReader {
    private static let largestPiece = 64 * 1024

    private struct State {
        var reader: any BodyReader
        let encoder: any ContentEncoder
        var input = [UInt8](repeating: 0, count: 64 * 1024)
        /// The part of the input that has not been encoded yet.
        var pending = 0..<0
        var isEnd = false
        /// The encoded bytes that have not been returned yet: the encoder writes pieces of its own size, because it
        /// cannot be flushed into a small space.
        var encoded: ArraySlice<UInt8> = []
        /// Whether the encoder may keep bytes of the body that it has not written.
        var keepsBytes = false
        var isFlushing = false
        /// The delays after the reads of the body that the last encoded bytes needed: most reads bring none.
        var delay = Duration.zero

        private var needsInput: Bool { self.pending.isEmpty && !self.isEnd && !self.isFlushing }

        /// The reader, if nothing can be returned before it has something.
        var awaitedReader: (any BodyReader)? {
            self.encoded.isEmpty && self.needsInput ? self.reader : nil
        }

        /// Returns the next bytes of the encoded body, up to a limit; none at its end.
        mutating func read(upTo limit: Int) throws -> ArraySlice<UInt8> {
            self.delay = .zero
            if self.encoded.isEmpty { try self.encode() }
            defer { self.encoded = self.encoded.dropFirst(limit) }
            return self.encoded.prefix(limit)
        }

        /// Encodes until there are bytes to return, or the end of the body is reached.
        ///
        /// If the body has nothing more for now, nothing is kept in the encoder.
        private mutating func encode() throws {
            while !self.encoder.isComplete {
                if self.needsInput, self.keepsBytes, !self.reader.isReadable {
                    self.isFlushing = true
                } else if !self.encoded.isEmpty {
                    return
                } else if self.needsInput {
                    let count = try self.input.withUnsafeMutableBytes { try self.reader.read(into: $0) }
                    self.isEnd = count == 0
                    self.pending = 0..<count
                    if !self.isEnd { self.add(self.reader.delayBeforeNextRead) }
                }
                try self.encodePiece()
            }
        }

        private mutating func add(_ delay: Duration) {
            // Each delay is limited to a year, so that the sum cannot overflow.
            let longest = Duration.seconds(31_557_600)
            self.delay = min(self.delay + min(delay, longest), longest)
        }

        private mutating func encodePiece() throws {
            let (pending, encoder) = (self.pending, self.encoder)
            let mode: EncodingMode = self.isEnd ? .finishing : self.isFlushing ? .flushing : .keeping
            var step = EncodingProgress()
            let output = try [UInt8](unsafeUninitializedCapacity: EncodedBodyReader.largestPiece) { output, count in
                step = try self.input.withUnsafeBytes { input in
                    try encoder.encode(
                        UnsafeRawBufferPointer(rebasing: input[pending]),
                        mode,
                        into: UnsafeMutableRawBufferPointer(output)
                    )
                }
                count = step.writtenCount
            }
            self.pending = (pending.lowerBound + step.readCount)..<pending.upperBound
            self.encoded += output
            if step.readCount > 0 { self.keepsBytes = true }
            if self.isFlushing, step.isFlushed { (self.isFlushing, self.keepsBytes) = (false, false) }
        }
    }

    // Called by one caller at a time; the lock makes the encoder, which is not a value, sendable.
    private let state: Mutex<State>

    init(_ reader: any BodyReader, _ compression: BodyCompression) {
        self.state = Mutex(State(reader: reader, encoder: compression.makeEncoder()))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let bytes = try self.state.withLock { try $0.read(upTo: buffer.count) }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    var delayBeforeNextRead: Duration { self.state.withLock { $0.delay } }

    var isReadable: Bool { self.state.withLock { $0.awaitedReader }?.isReadable ?? true }

    func whenReadable(_ notify: @escaping @Sendable () -> Void) {
        // Called without the lock: the reader may notify at once.
        let reader = self.state.withLock { $0.awaitedReader }
        if let reader { reader.whenReadable(notify) } else { notify() }
    }
}
