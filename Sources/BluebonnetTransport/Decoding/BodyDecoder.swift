// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Decodes the content of one response piece by piece, and refuses a body that expands beyond its limits.
///
/// Input is given with ``feed(_:)``, output taken with ``next()``, one piece at a time: however much a few bytes expand to, no more
/// than one piece of each coding is made before somebody wants it. An event loop feeds it; whoever wants the bytes takes them, on any thread.
final class BodyDecoder: Sendable {
    /// The most bytes of one piece of output.
    static let pieceSize = 64 * 1024
    /// The decoded bytes below which no ratio is too high: small texts of one letter are common and harmless.
    static let ratioFloor: Int64 = 4 * 1024 * 1024

    private let state: Mutex<State>

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - codings: The codings to decode, in that order; at least one.
    ///   - limits: How far the body may expand.
    init(_ codings: [ContentCoding], limits: Limits) {
        self.state = Mutex(State(codings, limits: limits))
    }

    /// Gives encoded bytes, which wait behind those that have not been used up.
    func feed(_ bytes: ByteBuffer) {
        self.state.withLock { $0.feed(bytes) }
    }

    /// The next piece of decoded bytes.
    ///
    /// - Returns: At least one byte; nil when more input is needed.
    /// - Throws: An error if the bytes are corrupt or expand too much.
    func next() throws(TransportError) -> ByteBuffer? {
        try self.state.withLock { (state) throws(TransportError) in try state.next() }
    }

    /// Checks that the encoded data was complete; an empty body is, whatever its coding.
    func finish() throws(TransportError) {
        guard self.state.withLock({ $0.isComplete }) else {
            throw .undecodable("the compressed response ends before its data does")
        }
    }
}

extension BodyDecoder {
    /// The codings, one behind the other, and what waits for the first of them.
    private struct State {
        private let limits: Limits
        /// The coding that was applied last, which is decoded first, at the front.
        private var stages: [Stage]
        /// Encoded bytes that the first coding has not been given.
        private var input = BodyBuffers(sliceLimit: 64 * 1024)
        /// Room for the next piece.
        private var scratch = ByteBuffer()

        init(_ codings: [ContentCoding], limits: Limits) {
            self.limits = limits
            self.stages = codings.map { Stage(decoder: $0.makeDecoder()) }
        }

        var isComplete: Bool { self.stages.allSatisfy { $0.inputByteCount == 0 || $0.decoder.isComplete } }

        mutating func feed(_ bytes: ByteBuffer) {
            if self.input.isEmpty, self.stages[0].needsInput {
                self.stages[0].feed(bytes)
            } else {
                self.input.append(bytes)
            }
        }

        mutating func next() throws(TransportError) -> ByteBuffer? { try self.next(from: self.stages.count - 1) }

        private mutating func next(from index: Int) throws(TransportError) -> ByteBuffer? {
            while true {
                if self.stages[index].needsInput {
                    guard let more = index > 0 ? try self.next(from: index - 1) : self.input.popFirst() else {
                        return nil
                    }
                    self.stages[index].feed(more)
                }
                let byteCount = try self.decode(at: index)
                guard byteCount > 0 else { continue }
                self.stages[index].outputByteCount += Int64(byteCount)
                try self.check(self.stages[index].outputByteCount)
                return self.takePiece()
            }
        }

        /// Lets one coding write into ``scratch``.
        private mutating func decode(at index: Int) throws(TransportError) -> Int {
            self.scratch.clear(minimumCapacity: BodyDecoder.pieceSize)
            let decoder = self.stages[index].decoder
            let inputByteCount = self.stages[index].input.readableBytes
            var result = Result<DecodingProgress, TransportError>.success(DecodingProgress())
            self.stages[index].input.readWithUnsafeReadableBytes { source in
                self.scratch.writeWithUnsafeMutableBytes(minimumWritableBytes: BodyDecoder.pieceSize) { space in
                    let target = UnsafeMutableRawBufferPointer(rebasing: space.prefix(BodyDecoder.pieceSize))
                    result = Result { () throws(TransportError) in try decoder.decode(source, into: target) }
                    return (try? result.get())?.writtenCount ?? 0
                }
                return (try? result.get())?.readCount ?? 0
            }
            let progress = try result.get()
            guard inputByteCount == 0 || progress.readCount + progress.writtenCount > 0 else { throw .corruptBody }
            self.stages[index].mayHoldMore = progress.writtenCount == BodyDecoder.pieceSize && !decoder.isComplete
            return progress.writtenCount
        }

        /// What is in ``scratch``: all of it, or a copy where a few bytes would keep it alive.
        private mutating func takePiece() -> ByteBuffer {
            guard self.scratch.readableBytes * 2 >= BodyDecoder.pieceSize else {
                return ByteBuffer(bytes: self.scratch.readableBytesView)
            }
            defer { self.scratch = ByteBuffer() }
            return self.scratch
        }

        private func check(_ byteCount: Int64) throws(TransportError) {
            if let limit = self.limits.maximumDecodedByteCount, byteCount > limit {
                throw .undecodable("the compressed response expands to more than \(limit) bytes")
            }
            guard byteCount > BodyDecoder.ratioFloor else { return }
            let ratio = self.limits.maximumDecodingRatio
            let (allowed, overflow) = self.stages[0].inputByteCount.multipliedReportingOverflow(by: Int64(ratio))
            guard overflow || byteCount <= allowed else {
                throw .undecodable("the compressed response expands to more than \(ratio) times its size")
            }
        }
    }

    /// One coding, and the bytes on their way through it.
    private struct Stage {
        let decoder: any ContentDecoder
        var input = ByteBuffer()
        var inputByteCount: Int64 = 0
        var outputByteCount: Int64 = 0
        /// Whether its last piece was full, so that more may come without more input.
        var mayHoldMore = false

        var needsInput: Bool { self.input.readableBytes == 0 && !self.mayHoldMore }

        mutating func feed(_ bytes: ByteBuffer) {
            self.input = bytes
            self.inputByteCount += Int64(bytes.readableBytes)
        }
    }
}
