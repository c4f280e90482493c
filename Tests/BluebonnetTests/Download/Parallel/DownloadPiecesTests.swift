// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// The journal of a download in parts, as a process leaves it that is killed at some moment.
@Suite(.timeLimit(.minutes(1))) struct DownloadPiecesTests {
    /// More than the test writes.
    private static let byteCount: Int64 = 1 << 30
    private static let synchronizationCount = 3
    private static let piece = [UInt8](repeating: 7, count: 100)

    @Test func `the journal says what is there at each moment, also while the disk is waited for`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pieces-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let location = try #require(FileLocation(path: folder.appending(path: "a").path(percentEncoded: false)))
        let file = try PartialFile(at: location, continuing: "partial")
        var journal = try Self.journal()
        journal.written = []
        let pieces = try DownloadPieces(
            file.makeRangeFile(),
            PieceTable(byteCount: Self.byteCount, written: [], smallest: 1 << 30),
            journal: journal,
            durability: .journal(every: 1)
        )
        let isDone = Atomic(false)
        let synchronizing = Task {
            defer { isDone.store(true, ordering: .relaxed) }
            for _ in 0..<Self.synchronizationCount { try await pieces.synchronize() }
        }
        let path = folder.appending(path: "partial.journal")
        let claim = try #require(pieces.take(now: .now))
        pieces.answer(claim)
        var lost: Int64 = 0
        repeat {
            lost = max(lost, try await Self.write(to: claim, of: pieces, journalAt: path))
            await Task.yield()
        } while !isDone.load(ordering: .relaxed)
        try await synchronizing.value
        // What a process that was killed behind one of the writes would have lost.
        #expect(lost == 0)
        let isThere = file.isThere
        #expect(isThere)
    }

    private static func journal() throws -> DownloadJournal {
        let text = #"{"version":1,"source":"http://a/","entityTag":"\"x\"","digests":[],"ranges":[],"boot":"b"}"#
        return try JSONDecoder().decode(DownloadJournal.self, from: Data(text.utf8))
    }

    /// Writes the next bytes of a piece, in the turn to write.
    ///
    /// - Returns: How many bytes the file has that its journal does not know of.
    private static func write(
        to claim: PieceTable.Claim,
        of pieces: DownloadPieces,
        journalAt path: URL
    ) async throws -> Int64 {
        func write(in turn: isolated DownloadPieces.WriteTurn) throws -> Int64 {
            let written = try Self.piece.withUnsafeBytes { try pieces.write($0, to: claim) }
            let journal = try #require(DownloadJournal(Array(try Data(contentsOf: path))))
            let known = journal.usableSpans(of: Self.byteCount, boot: journal.boot).reduce(0) { $0 + $1.to - $1.from }
            return written.total - known
        }
        return try await write(in: pieces.writeTurn)
    }
}
