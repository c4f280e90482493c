// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import Synchronization

/// Encodes a body while it is read.
final class EncodedBodyReader: BodyReader {
    private static let largestPiece = 64 * 1024

    private struct State {
        var reader: any BodyReader
        let encoder: any ContentEncoder
        var input = [UInt8](repeating: 0, count: 64 * 1024)
        /// The part of the input that has not been encoded yet.
        var pending = 0..<0
        var isEnd = false
        /// The delays after the reads of the body that the last encoded bytes needed: most reads bring none.
        var delay = Duration.zero

        var needsInput: Bool { self.pending.isEmpty && !self.isEnd }

        /// Returns the next bytes of the encoded body, up to a limit; none at its end.
        mutating func read(upTo limit: Int) throws -> [UInt8] {
            self.delay = .zero
            while !self.encoder.isComplete {
                if self.needsInput {
                    let count = try self.input.withUnsafeMutableBytes { try self.reader.read(into: $0) }
                    self.isEnd = count == 0
                    self.pending = 0..<count
                    if !self.isEnd { self.add(self.reader.delayBeforeNextRead) }
                }
                let output = try self.encode(upTo: limit)
                if !output.isEmpty { return output }
            }
            return []
        }

        private mutating func add(_ delay: Duration) {
            // Each delay is limited to a year, so that the sum cannot overflow.
            let longest = Duration.seconds(31_557_600)
            self.delay = min(self.delay + min(delay, longest), longest)
        }

        private mutating func encode(upTo limit: Int) throws -> [UInt8] {
            let (pending, isEnd, encoder) = (self.pending, self.isEnd, self.encoder)
            var readCount = 0
            let output = try [UInt8](unsafeUninitializedCapacity: limit) { output, count in
                let step = try self.input.withUnsafeBytes { input in
                    try encoder.encode(
                        UnsafeRawBufferPointer(rebasing: input[pending]),
                        isLast: isEnd,
                        into: UnsafeMutableRawBufferPointer(output)
                    )
                }
                (readCount, count) = (step.readCount, step.writtenCount)
            }
            self.pending = (pending.lowerBound + readCount)..<pending.upperBound
            return output
        }
    }

    // Called by one caller at a time; the lock makes the encoder, which is not a value, sendable.
    private let state: Mutex<State>

    init(_ reader: any BodyReader, _ compression: BodyCompression) {
        self.state = Mutex(State(reader: reader, encoder: compression.makeEncoder()))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let limit = min(buffer.count, Self.largestPiece)
        let bytes = try self.state.withLock { try $0.read(upTo: limit) }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    var delayBeforeNextRead: Duration { self.state.withLock { $0.delay } }

    var isReadable: Bool { self.state.withLock { !$0.needsInput || $0.reader.isReadable } }

    func whenReadable(_ notify: @escaping @Sendable () -> Void) {
        // Called without the lock: the reader may notify at once.
        let reader = self.state.withLock { $0.needsInput ? $0.reader : nil }
        if let reader { reader.whenReadable(notify) } else { notify() }
    }
}
