// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import FoundationEssentials
import NIOCore
import Synchronization

/// Reads a range of a body from its pieces.
struct PieceReader {
    let id: UUID
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
///
/// Each piece is read by itself. A transaction over all of them would keep SQLite from emptying its log while the consumer
/// does something else. Entries are not changed once they are complete, and are kept while somebody reads them.
final class DiskCacheReader: ResponseBody.Source {
    private struct State: ~Copyable {
        var database: CacheDatabase?
        var pieces: PieceReader
        var lock: BodyLock?
        var remaining: Int64
        var isAbandoned = false

        mutating func nextPiece() throws(DiskCacheError) -> ArraySlice<UInt8>? {
            guard let database = self.database.take() else { return nil }
            do throws(DiskCacheError) {
                let piece = try self.pieces.next(database)
                if piece == nil, try !database.contains(self.pieces.id) { throw .removed }
                self.database = consume database
                return piece
            } catch {
                // The piece is read again.
                if error.isBusy { self.database = consume database }
                throw error
            }
        }

        mutating func close() {
            self.database = nil
            self.lock = nil
        }
    }

    /// How long the reader waits for another process, which rarely keeps others from reading: what has been delivered
    /// would be useless without the rest.
    private static var patience: Duration { .seconds(2) }

    private let state: Mutex<State>
    private let busy = BusyDatabase(limit: DiskCacheReader.patience)
    private let pin: BodyPin
    private let onDamage: @Sendable () -> Void
    private let onEnd: @Sendable () -> Void

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - pieces: Finds the pieces.
    ///   - length: The number of bytes that they have together.
    ///   - onDamage: Called if the body cannot be read, and never will be.
    ///   - onEnd: Called once, when the body was read, or will not be read further.
    init(
        _ pieces: PieceReader,
        length: Int64,
        onDamage: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.state = Mutex(State(pieces: pieces, remaining: length))
        self.pin = BodyPin(pieces.id)
        self.onDamage = onDamage
        self.onEnd = onEnd
    }

    deinit { self.end() }

    /// Opens the connection.
    ///
    /// - Returns: Whether the body exists, and is not hidden.
    func open(_ path: String) async throws -> Bool {
        try await self.reading { state in
            let database = try CacheDatabase(path: path)
            let lock = BodyLock(besideDatabase: path)
            lock.lock(state.pieces.id)
            // After the lock: what is not hidden yet will not be removed.
            let isThere = try database.isComplete(state.pieces.id)
            state.database = consume database
            state.lock = consume lock
            return isThere
        }
    }

    var remainingByteCount: Int64? { self.state.withLock { $0.remaining } }

    @concurrent func next() async throws -> ByteBuffer? {
        try Task.checkCancellation()
        let buffer: ByteBuffer? = try await self.reading { state in
            if state.isAbandoned { throw CancellationError() }
            guard state.remaining > 0 else { return nil }
            guard let piece = try state.nextPiece() else { throw DiskCacheError.missingPiece }
            state.remaining -= Int64(piece.count)
            return ByteBuffer(bytes: piece)
        }
        if buffer == nil { self.end() }
        return buffer
    }

    /// Removes the protection of the body; not under the lock, because it takes others.
    private func end() {
        guard self.pin.end() else { return }
        self.state.withLock { $0.close() }
        self.onEnd()
    }

    /// Reads under the lock, and reports corruption after the lock was released.
    private func reading<Result: Sendable>(_ body: (inout State) throws -> Result) async throws -> Result {
        do {
            // At the total limit of a call the task that reads is cancelled.
            return try await self.busy.perform(upTo: nil) { try self.state.withLock { try body(&$0) } }
        } catch let error as DiskCacheError {
            if error.isCorruption || error == .missingPiece { self.onDamage() }
            self.end()
            throw error
        }
    }

    func abandon() {
        self.state.withLock { state in
            state.isAbandoned = true
        }
        self.end()
    }
}

extension DiskCacheError {
    /// A stored body ended too early, although its entry is there.
    fileprivate static let missingPiece = Self(reason: "a piece of a stored body is missing")

    /// An entry was removed to make room, or with all others.
    fileprivate static let removed = Self(reason: "the response was removed while its body was read")
}
