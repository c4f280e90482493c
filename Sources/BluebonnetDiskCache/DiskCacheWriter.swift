// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import NIOCore
import Synchronization

/// Writes a body in pieces: a small one at once when it is complete, a large one as it arrives.
final class DiskCacheWriter: CacheWriter {
    /// The size of a piece.
    static let pieceByteCount = 64 * 1024

    /// The number of pieces that are written at a time.
    private static let batchCount = 4

    private struct State {
        var rest: [UInt8] = []
        var pieces: [[UInt8]] = []
        var writtenCount: Int64 = 0
        var byteCount: Int64 = 0
        var isOver = false
    }

    private let response: StoredResponse
    private let store: DiskCacheStore
    private let state = Mutex(State())

    init(_ response: StoredResponse, _ store: DiskCacheStore) {
        self.response = response
        self.store = store
    }

    deinit { self.discard() }

    func write(_ bytes: ByteBuffer) async throws {
        let batch = self.state.withLock { state -> (pieces: [[UInt8]], number: Int64)? in
            state.byteCount += Int64(bytes.readableBytes)
            var view = bytes.readableBytesView[...]
            while !view.isEmpty {
                let part = view.prefix(Self.pieceByteCount - state.rest.count)
                state.rest.append(contentsOf: part)
                view = view.dropFirst(part.count)
                guard state.rest.count == Self.pieceByteCount else { break }
                state.pieces.append(state.rest)
                state.rest = []
            }
            guard state.pieces.count >= Self.batchCount else { return nil }
            defer {
                state.writtenCount += Int64(state.pieces.count)
                state.pieces = []
            }
            return (state.pieces, state.writtenCount)
        }
        guard let batch else { return }
        try await self.store.add(batch.pieces, from: batch.number, to: self.response)
    }

    func commit() async throws {
        let rest = self.end()
        do {
            try await self.store.complete(rest.response, rest.pieces, from: rest.number)
        } catch {
            if rest.number > 0 { self.store.discard(rest.response) }
            throw error
        }
    }

    func keepPart() {
        let rest = self.end()
        // These are few pieces: the others were written as they arrived.
        self.store.keep(rest.response, rest.pieces, from: rest.number)
    }

    /// Takes the bytes that are not written yet.
    private func end() -> (response: StoredResponse, pieces: [[UInt8]], number: Int64) {
        self.state.withLock { state in
            if !state.rest.isEmpty { state.pieces.append(state.rest) }
            state.isOver = true
            var response = self.response
            response.bodyByteCount = state.byteCount
            return (response, state.pieces, state.writtenCount)
        }
    }

    func discard() {
        let hasWritten = self.state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver && state.writtenCount > 0
        }
        if hasWritten { self.store.discard(self.response) }
    }
}
