// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import FoundationEssentials
import NIOCore
import Synchronization

/// Reads a range of a body from its pieces.
struct PieceReader {
    private let id: UUID
    private let range: Range<Int64>
    private var number: Int64

    init(_ id: UUID, _ range: Range<Int64>) {
        self.id = id
        self.range = range
        self.number = range.lowerBound / Int64(DiskCacheWriter.pieceByteCount)
    }

    /// The next bytes; nil at the end, and if a piece is missing.
    mutating func next(_ database: borrowing CacheDatabase) throws(DiskCacheError) -> ArraySlice<UInt8>? {
        let size = Int64(DiskCacheWriter.pieceByteCount)
        let start = self.number * size
        guard start < self.range.upperBound, let piece = try database.piece(self.number, of: self.id) else {
            return nil
        }
        self.number += 1
        let first = max(self.range.lowerBound - start, 0)
        let last = min(self.range.upperBound - start, Int64(piece.count))
        return first < last ? piece[Int(first)..<Int(last)] : nil
    }
}

/// A large body that is read from the database.
final class DiskCacheReader: ResponseBody.Source {
    private struct State: ~Copyable {
        var database: CacheDatabase?
        var pieces: PieceReader
        var remaining: Int64
        var isAbandoned = false

        mutating func nextPiece() throws(DiskCacheError) -> ArraySlice<UInt8>? {
            guard let database = self.database.take() else { return nil }
            let piece = try self.pieces.next(database)
            self.database = consume database
            return piece
        }
    }

    private let state: Mutex<State>
    private let onDamage: @Sendable () -> Void
    private let onEnd: @Sendable () -> Void

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - pieces: Finds the pieces.
    ///   - length: The number of bytes that they have together.
    ///   - onDamage: Called if the body cannot be read, and never will be.
    ///   - onEnd: Called at the end of the reader.
    init(
        _ pieces: PieceReader,
        length: Int64,
        onDamage: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.state = Mutex(State(database: nil, pieces: pieces, remaining: length))
        self.onDamage = onDamage
        self.onEnd = onEnd
    }

    deinit { self.onEnd() }

    /// Opens the connection, and begins its snapshot.
    ///
    /// - Returns: Whether the body exists.
    func open(_ path: String) throws -> Bool {
        try self.reportingDamage { state in
            let database = try CacheDatabase(path: path)
            try database.beginSnapshot()
            var first = state.pieces
            let isThere = try first.next(database) != nil
            state.database = consume database
            return isThere
        }
    }

    var remainingByteCount: Int64? { self.state.withLock { $0.remaining } }

    @concurrent func next() async throws -> ByteBuffer? {
        try Task.checkCancellation()
        return try self.reportingDamage { state in
            if state.isAbandoned { throw CancellationError() }
            guard state.remaining > 0 else {
                state.database = nil
                return nil
            }
            guard let piece = try state.nextPiece() else { throw DiskCacheError.missingPiece }
            state.remaining -= Int64(piece.count)
            return ByteBuffer(bytes: piece)
        }
    }

    /// Reads under the lock, and reports corruption after the lock was released.
    private func reportingDamage<Result: Sendable>(_ body: (inout State) throws -> Result) throws -> Result {
        do {
            return try self.state.withLock { try body(&$0) }
        } catch let error as DiskCacheError {
            if error.isCorruption || error == .missingPiece { self.onDamage() }
            throw error
        }
    }

    func abandon() {
        self.state.withLock { state in
            state.isAbandoned = true
            state.database = nil
        }
    }
}

extension DiskCacheError {
    /// A stored body ended too early, although it cannot have been removed meanwhile.
    fileprivate static let missingPiece = Self(reason: "a piece of a stored body is missing")
}
