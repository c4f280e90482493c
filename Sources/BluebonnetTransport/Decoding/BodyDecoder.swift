// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Decodes the content of one response incrementally, and refuses a body that expands beyond its limits.
///
/// ``feed(_:)`` takes input, ``next()`` returns output, one piece at a time: however far a few bytes expand, no more
/// than one piece per coding is produced before it is requested. An event loop feeds the decoder; the consumer takes
/// the output on any thread.
final class BodyDecoder: Sendable {
    /// The largest size of one piece of output, in bytes.
    static let pieceSize = 64 * 1024
    /// The decoded size below which the ratio is not checked: small texts of one repeated letter are common and
    /// harmless.
    static let ratioFloor: Int64 = 4 * 1024 * 1024
    /// The encoded size below which a body may decode to nothing: flushes, names of files and empty members bring no data.
    static let emptyFloor: Int64 = 1024 * 1024
    /// The encoded bytes beyond that for each decoded byte: a member or a flush of its own for each takes about twenty.
    static let emptyRatio: Int64 = 64

    private let state: Mutex<State>

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - codings: The codings to decode, in that order; at least one.
    ///   - limits: The limits of the expansion.
    init(_ codings: [ContentCoding], limits: TransportLimits) {
        self.state = Mutex(State(codings, limits: limits))
    }

    /// Adds encoded bytes behind those that have not been decoded yet.
    func feed(_ bytes: ByteBuffer) {
        self.state.withLock { $0.feed(bytes) }
    }

    /// Returns the next piece of decoded bytes.
    ///
    /// - Returns: At least one byte; nil if more input is needed.
    /// - Throws: An error if the bytes are corrupt or expand beyond the limits.
    func next() throws(TransportError) -> ByteBuffer? {
        try self.state.withLock { (state) throws(TransportError) in try state.next() }
    }

    /// Checks that the encoded data is complete; an empty body is complete in every coding.
    func finish() throws(TransportError) {
        guard self.state.withLock({ $0.isComplete }) else {
            throw .undecodable(
                "the compressed response ends before its data does",
                underlying: TruncatedContentError()
            )
        }
    }
}

extension BodyDecoder {
    /// The chain of codings, and the input of the first.
    private struct State {
        private let limits: TransportLimits
        /// The decoders; the coding that was applied last is decoded first and comes first.
        private var stages: [Stage]
        /// Encoded bytes that the first decoder has not received yet.
        private var input = BodyBuffers(sliceLimit: 64 * 1024)
        /// The buffer for the next piece.
        private var scratch = ByteBuffer()

        init(_ codings: [ContentCoding], limits: TransportLimits) {
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
                self.stages[index].outputByteCount += Int64(byteCount)
                try self.stages[index].checkProgress()
                guard byteCount > 0 else { continue }
                try self.check(self.stages[index].outputByteCount)
                return self.takePiece()
            }
        }

        /// Runs one decoder, with output into ``scratch``.
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

        /// Returns the content of ``scratch``: the buffer itself, or a copy if a few bytes would keep it alive.
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

    /// One decoder with its pending input.
    private struct Stage {
        let decoder: any ContentDecoder
        var input = ByteBuffer()
        var inputByteCount: Int64 = 0
        var outputByteCount: Int64 = 0
        /// Whether its last piece was full, so that it may produce more without input.
        var mayHoldMore = false

        var needsInput: Bool { self.input.readableBytes == 0 && !self.mayHoldMore }

        mutating func feed(_ bytes: ByteBuffer) {
            self.input = bytes
            self.inputByteCount += Int64(bytes.readableBytes)
        }

        /// Refuses a body that goes on and brings no data: the limits of its reader count decoded bytes only.
        func checkProgress() throws(TransportError) {
            let readByteCount = self.inputByteCount - Int64(self.input.readableBytes)
            let (allowed, overflow) = self.outputByteCount.multipliedReportingOverflow(by: BodyDecoder.emptyRatio)
            guard !overflow, readByteCount - BodyDecoder.emptyFloor > allowed else { return }
            throw .undecodable(
                "\(readByteCount) bytes of the compressed response bring \(self.outputByteCount) bytes of data"
            )
        }
    }
}
