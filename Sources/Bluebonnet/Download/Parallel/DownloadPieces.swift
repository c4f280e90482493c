// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import Synchronization

/// A partial file that several responses are written to at a time, each by one writer and at its own positions.
///
/// A receiver takes a piece, writes to it and releases it. After each write the journal lists what the file has.
final class DownloadPieces: Sendable {
    private struct State {
        var table: PieceTable
        var journal: DownloadJournal?
        /// The lines of the journal; nil if none is kept.
        var lines: Lines?
        var unsynchronizedByteCount: Int64 = 0
        var isSynchronizing = false
    }

    /// A journal whose lines are changed in place.
    private struct Lines {
        var file: PositionedFile
        var byteCount: Int

        func write(_ span: DownloadJournal.Span, at index: Int) throws(SystemError) {
            let (line, offset) = (PieceRecords.line(span), PieceRecords.offset(of: index, inContentOf: self.byteCount))
            try line.withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try self.file.write(UnsafeRawBufferPointer(bytes), at: offset)
            }
        }
    }

    /// The result of one write.
    struct Written {
        let count: Int
        /// The number of bytes that the file has now.
        let total: Int64
        /// Whether it is time to synchronize with the disk.
        let isDue: Bool
    }

    /// The turn to write, which one receiver has at a time: a file system allows one writer per file, and waiting
    /// inside it blocks a thread.
    actor WriteTurn {}

    let writeTurn = WriteTurn()
    private let file: RangeFile
    private let interval: Int64?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - file: The file; it need not have its length yet.
    ///   - table: How it is divided.
    ///   - journal: The journal of its bytes; nil if none is kept.
    ///   - durability: What is written to the disk, and when.
    /// - Throws: `SystemError` if the journal cannot be written.
    init(
        _ file: RangeFile,
        _ table: PieceTable,
        journal: DownloadJournal?,
        durability: DownloadPolicy.Durability
    ) throws {
        self.file = file
        self.interval = if case .journal(let interval) = durability { max(interval, 1) } else { nil }
        let isSynchronized = self.interval != nil
        let lines = try journal.map { try Self.write($0, table.spans, to: file, synchronizing: isSynchronized) }
        self.state = Mutex(State(table: table, journal: journal, lines: lines))
    }

    /// The number of bytes of the file that have been written.
    var writtenByteCount: Int64 { self.state.withLock { $0.table.writtenByteCount } }

    /// Whether all bytes have been written.
    var isComplete: Bool { self.state.withLock { $0.table.isComplete } }

    /// The ranges that have been written.
    var spans: [DownloadJournal.Span] { self.state.withLock { DownloadJournal.joined($0.table.spans) } }

    /// The ranges that are on the disk, too.
    var synchronizedSpans: [DownloadJournal.Span] { self.state.withLock { $0.journal?.ranges ?? [] } }

    // MARK: Work

    /// Takes a piece; nil if nothing is left that is worth a request.
    func take(now: SessionClock.Instant) -> PieceTable.Claim? { self.state.withLock { $0.table.take(now: now) } }

    /// Takes the piece that follows another one.
    func take(behind claim: PieceTable.Claim, longestSkip: Int64, now: SessionClock.Instant) -> PieceTable.Claim? {
        self.state.withLock { $0.table.take(behind: claim.index, longestSkip: longestSkip, now: now) }
    }

    /// Marks a piece as delivered by a response; false if another receiver has taken it over.
    @discardableResult
    func answer(_ claim: PieceTable.Claim) -> Bool { self.state.withLock { $0.table.answer(claim) } }

    /// Gives a piece back, complete or not.
    func release(_ claim: PieceTable.Claim) { self.state.withLock { $0.table.release(claim) } }

    /// The missing range of a piece, whichever receiver has it.
    func gap(_ claim: PieceTable.Claim) -> Range<Int64> { self.state.withLock { $0.table.gap(claim.index) } }

    /// The missing range of the piece of a claim; nil if another receiver has taken the piece over.
    func gap(of claim: PieceTable.Claim) -> Range<Int64>? { self.state.withLock { $0.table.gap(of: claim) } }

    /// Writes the next bytes of a piece.
    ///
    /// - Parameters:
    ///   - bytes: The bytes; those beyond the end of the piece are not written.
    ///   - claim: The piece, which the caller's response delivers.
    /// - Returns: How many were written, how many bytes the file has now, and whether it is time to ``synchronize()``.
    /// - Throws: `SystemError`.
    func write(_ bytes: UnsafeRawBufferPointer, to claim: PieceTable.Claim) throws -> Written {
        let index = claim.index
        let range = self.state.withLock { $0.table.reserve(bytes.count, in: index) }
        do {
            try self.file.write(UnsafeRawBufferPointer(rebasing: bytes[..<range.count]), at: range.lowerBound)
        } catch {
            self.state.withLock { $0.table.takeBack(range, in: index) }
            throw error
        }
        let (total, lines, span, isDue) = self.state.withLock { state in
            state.table.confirm(range, in: index)
            let piece = state.table.pieces[index]
            let span = DownloadJournal.Span(from: piece.from, to: piece.written)
            return (state.table.writtenByteCount, state.lines, span, self.isDue(&state, range.count))
        }
        try lines?.write(span, at: index)
        return Written(count: range.count, total: total, isDue: isDue)
    }

    // MARK: Journal

    /// Whether it is time to synchronize with the disk.
    private func isDue(_ state: inout State, _ count: Int) -> Bool {
        state.unsynchronizedByteCount += Int64(count)
        guard let interval, state.lines != nil, !state.isSynchronizing, state.unsynchronizedByteCount >= interval else {
            return false
        }
        state.isSynchronizing = true
        state.unsynchronizedByteCount = 0
        return true
    }

    /// Waits until the bytes and the journal are on the disk; without the turn to write, so that other receivers
    /// continue meanwhile.
    @concurrent func synchronize() async throws {
        let before = self.spans
        try self.file.synchronize()
        let (journal, spans) = self.state.withLock { state in
            state.journal?.ranges = before
            return (state.journal, state.table.spans)
        }
        guard let journal else { return }
        let content = try Self.content(journal, spans)
        let lines = Lines(file: try self.file.prepareJournal(content), byteCount: content.count)
        try await self.use(lines, in: self.writeTurn)
        try self.file.synchronizeDirectory()
        self.state.withLock { $0.isSynchronizing = false }
    }

    /// Switches to new lines.
    ///
    /// This needs the turn to write, so that no line is written meanwhile: the journal always describes what a killed
    /// process leaves, including what was written during synchronization.
    private func use(_ lines: Lines, in turn: isolated WriteTurn) throws {
        for (index, span) in self.state.withLock({ $0.table.spans }).enumerated() { try lines.write(span, at: index) }
        try self.file.useNextJournal()
        self.state.withLock { $0.lines = lines }
    }

    private static func write(
        _ journal: DownloadJournal,
        _ spans: [DownloadJournal.Span],
        to file: RangeFile,
        synchronizing: Bool
    ) throws -> Lines {
        let content = try Self.content(journal, spans)
        return Lines(file: try file.writeJournal(content, synchronizing: synchronizing), byteCount: content.count)
    }

    private static func content(_ journal: DownloadJournal, _ spans: [DownloadJournal.Span]) throws -> [UInt8] {
        var journal = journal
        journal.written = spans
        return try journal.encoded()
    }
}
