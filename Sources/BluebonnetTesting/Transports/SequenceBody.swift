// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore

/// The source of a response body that comes from an asynchronous sequence.
actor SequenceBody<Pieces: AsyncSequence & Sendable>: ResponseBody.Source {
    private let makeBuffer: @Sendable (Pieces.Element) -> ByteBuffer
    /// Nil while a piece is awaited, and at the end.
    private var iterator: Pieces.AsyncIterator?
    private var isAtEnd = false

    init(_ pieces: Pieces, _ makeBuffer: @escaping @Sendable (Pieces.Element) -> ByteBuffer) {
        self.iterator = pieces.makeAsyncIterator()
        self.makeBuffer = makeBuffer
    }

    func next() async throws -> ByteBuffer? {
        if self.isAtEnd { return nil }
        guard var iterator = self.iterator.take() else {
            throw TransportError(.invalidRequest, phase: .responseBody, reason: "the body has a reader already")
        }
        while let piece = try await iterator.next(isolation: self) {
            let buffer = self.makeBuffer(piece)
            // A body has no empty buffers.
            guard buffer.readableBytes > 0 else { continue }
            self.iterator = iterator
            return buffer
        }
        // Many sequences end when their task is cancelled.
        try Task.checkCancellation()
        self.isAtEnd = true
        return nil
    }
}
