// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials
import NIOCore

/// The file of an unfinished download, with its journal and its digests.
///
/// Deallocated before ``commit(replacing:)``, it leaves what its `file.fate` says.
struct PartialDownload: ~Copyable {
    private(set) var file: PartialFile
    private(set) var journal: DownloadJournal?
    private var verifier = DigestVerifier()
    /// The digests of the bytes of one response, if those are a part.
    private var partVerifier = DigestVerifier()
    /// Digests of the whole that arrived only with the rest, after the bytes before it had been processed.
    private var lateDigests: [ContentDigest] = []
    private let durability: DownloadPolicy.Durability
    private var synchronizedByteCount: Int64 = 0
    /// The pieces that the next bytes are written to, if there are several.
    private var pieces: DownloadPieces?
    /// The number of leading bytes whose digests have been computed.
    private var digestedByteCount: Int64 = 0

    private static var pieceByteCount: Int { 256 * 1024 }

    /// - Parameters:
    ///   - file: The file.
    ///   - durability: What is written to the disk, and when.
    init(_ file: consuming PartialFile, durability: DownloadPolicy.Durability) {
        self.file = file
        self.file.startsWriteback = durability != .none
        self.durability = durability
    }

    /// The number of bytes of the file, wherever they are.
    var byteCount: Int64 { self.pieces?.writtenByteCount ?? self.file.byteCount }

    /// Where the file can be continued, according to its journal; nil if it cannot.
    ///
    /// The bytes before that position stay in any case, until the file is begun again.
    mutating func resumePoint() throws(SystemError) -> ResumePoint? {
        // Until it is known what the file holds, an error keeps it.
        self.file.fate = .kept
        let stored = try self.file.storedByteCount()
        let content = stored > 0 ? try self.file.readJournal() : nil
        guard let journal = content.flatMap({ DownloadJournal($0) }),
            let point = ResumePoint(journal, usable: journal.usableSpans(of: stored, boot: BootIdentity.current))
        else {
            self.file.fate = .removed
            return nil
        }
        self.journal = journal
        return point
    }

    /// The number of bytes that the rest can follow; 0 if they cannot be told from those of another version.
    var keptByteCount: Int64 { self.journal == nil ? 0 : self.byteCount }

    /// Where the file continues after an interrupted response, with its digests computed up to there; nil if only from
    /// its first byte.
    ///
    /// - Throws: `SystemError`; `CancellationError` when the task is cancelled.
    mutating func breakPoint() throws -> ResumePoint? {
        try self.file.flush()
        let spans = self.pieces?.spans ?? [.init(from: 0, to: self.file.byteCount)]
        if let pieces = self.pieces { self.journal?.ranges = pieces.synchronizedSpans }
        guard let journal, let point = ResumePoint(journal, usable: spans) else { return nil }
        if self.digestedByteCount > point.offset {
            try self.prepare(toContinueAt: point, verifying: self.verifier.expected)
        } else {
            try self.digest(upTo: point.offset)
        }
        return point
    }

    /// Drops the bytes of the file, for a body from its first byte.
    ///
    /// - Parameters:
    ///   - journal: The description of the new bytes; nil if they cannot be identified, and so not be kept.
    ///   - isKept: Whether the file outlives an error, and the process.
    ///   - digests: The digests that the whole must have.
    /// - Throws: `SystemError`.
    mutating func begin(_ journal: DownloadJournal?, isKept: Bool, verifying digests: [ContentDigest]) throws {
        self.pieces = nil
        let wasSynchronized = self.journal?.ranges.isEmpty == false
        // The journal is removed first: without it, the next bytes are not taken for the rest of the previous ones.
        try self.file.removeJournal()
        if wasSynchronized { try self.file.synchronizeDirectory() }
        try self.file.truncate(to: 0)
        self.journal = journal
        self.journal?.boot = BootIdentity.current
        self.file.fate = isKept && journal != nil ? .kept : .removed
        if self.file.fate == .kept { try self.writeJournal() }
        self.verifier = DigestVerifier(digests)
        self.partVerifier = DigestVerifier()
        self.lateDigests = []
        self.synchronizedByteCount = 0
        self.digestedByteCount = 0
    }

    /// Computes the digests of the bytes before the position where the download continues.
    ///
    /// - Throws: `SystemError`; `CancellationError` when the task is cancelled.
    mutating func prepare(toContinueAt point: ResumePoint, verifying digests: [ContentDigest]) throws {
        self.verifier = DigestVerifier(digests)
        self.digestedByteCount = 0
        try self.digest(upTo: point.offset)
    }

    /// Continues in several pieces at a time.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes of the whole.
    ///   - spans: The bytes at hand.
    ///   - smallest: The smallest number of bytes that is worth a request.
    ///   - digests: The digests that the whole must also have.
    /// - Returns: The pieces.
    /// - Throws: `SystemError`: `ENOSPC` if there is no room for the whole.
    mutating func divide(
        _ byteCount: Int64,
        _ spans: [DownloadJournal.Span],
        _ smallest: Int64,
        verifying digests: [ContentDigest]
    ) throws -> DownloadPieces {
        self.lateDigests += self.verifier.expect(digests)
        self.partVerifier = DigestVerifier()
        self.journal?.byteCount = byteCount
        // After a loss of power, the bytes it left are valid, and later bytes are valid for this boot of the system.
        self.journal?.boot = BootIdentity.current
        let table = PieceTable(byteCount: byteCount, written: spans, smallest: smallest)
        // The journal is written first: without it, the space reserved for the rest would count as written bytes.
        let pieces = try DownloadPieces(
            self.file.makeRangeFile(),
            table,
            journal: self.file.fate == .kept ? self.journal : nil,
            durability: self.durability
        )
        try self.file.allocate(byteCount)
        self.pieces = pieces
        return pieces
    }

    /// Continues after the bytes at hand.
    mutating func proceed(at offset: Int64, verifying digests: [ContentDigest], part: [ContentDigest]) throws {
        // The lines that the pieces have written are in the file of the journal, and not in its value.
        let hasLines = self.pieces != nil
        self.pieces = nil
        try self.file.truncate(to: offset)
        self.lateDigests += self.verifier.expect(digests)
        self.partVerifier = DigestVerifier(part)
        self.synchronizedByteCount = offset
        guard let journal, hasLines || journal.boot != BootIdentity.current || journal.written != nil else { return }
        // The bytes that survived a loss of power stay valid. Later bytes are valid for this boot of the system, and
        // not only as far as the lines of a parallel download say.
        self.journal?.boot = BootIdentity.current
        self.journal?.written = nil
        if self.file.fate == .kept { try self.writeJournal() }
    }

    /// Writes the next bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        try self.file.write(bytes)
        self.verifier.update(bytes)
        self.partVerifier.update(bytes)
        self.digestedByteCount += Int64(bytes.count)
        guard case .journal(let interval) = self.durability, self.file.fate == .kept,
            self.byteCount - self.synchronizedByteCount >= max(interval, 1)
        else { return }
        try self.synchronize()
    }

    /// Verifies the file.
    ///
    /// Bytes that arrived out of order, and those whose digest was not known before their end, are read from the file.
    ///
    /// - Parameters:
    ///   - late: The digests in the trailers.
    ///   - start: The position of the body in the file.
    /// - Returns: The verified digests.
    /// - Throws: `SessionError` with `digestMismatch`; `SystemError`; `CancellationError` when the task is cancelled.
    mutating func verify(_ late: DigestFields, ofBodyAt start: Int64) throws -> [ContentDigest] {
        if self.pieces != nil { try self.digest(upTo: self.byteCount) }
        try self.partVerifier.verify()
        try self.verifier.verify()
        let expected = self.verifier.expected
        let whole = (self.lateDigests + late.representation + (start == 0 ? late.content : []))
            .filter { !expected.contains($0) }
        let part = start == 0 ? [] : late.content
        try self.file.flush()
        try self.verify(whole, from: 0)
        try self.verify(part, from: start)
        return expected + whole
    }

    /// Verifies the bytes of a response that is followed by another one.
    ///
    /// - Parameters:
    ///   - late: The digests in its trailers; those of the whole are verified at the end.
    ///   - start: The position of its body in the file.
    /// - Throws: `SessionError` with `digestMismatch`; `SystemError`; `CancellationError` when the task is cancelled.
    mutating func verifyPart(_ late: DigestFields, at start: Int64) throws {
        try self.partVerifier.verify()
        self.lateDigests += self.verifier.expect(late.representation)
        try self.file.flush()
        try self.verify(late.content, from: start)
    }

    /// Moves the file to its destination.
    mutating func commit(replacing: Bool) throws(SystemError) {
        // From here on nothing is lost: a complete file is kept, even if not under its name.
        self.file.fate = .kept
        try self.file.commit(replacing: replacing, synchronizing: self.durability != .none)
    }

    /// Marks the file to be removed.
    mutating func discard() { self.file.fate = .removed }

    /// Drops the bytes that are not known to be on the disk, as after a loss of power.
    ///
    /// A system that could not write bytes to the disk says so once. It may have dropped them, and another attempt to
    /// synchronize the file succeeds without them.
    mutating func dropUnsynchronized() {
        if let pieces { self.journal?.ranges = pieces.synchronizedSpans }
        self.pieces = nil
        self.journal?.boot = nil
        self.journal?.written = nil
        guard self.file.fate == .kept else { return }
        if self.usableByteCount == 0 || (try? self.writeJournal()) == nil { self.file.fate = .removed }
    }

    /// Ends an unfinished file, and returns what is left of it.
    ///
    /// - Parameters:
    ///   - destination: The intended destination.
    ///   - isKept: Whether it is kept even if the policy does not say so.
    ///   - isComplete: Whether all bytes have been received.
    /// - Returns: The remains; nil if nothing is left.
    mutating func settle(destination: URL, isKept: Bool, isComplete: Bool) -> DownloadRemains? {
        // A full disk accepts no more; the bytes it has are kept.
        try? self.file.flush()
        // It has its final name already, or another program has removed it: a journal would describe nothing.
        guard self.file.isThere else { return nil }
        let stored = self.pieces?.writtenByteCount ?? self.usableByteCount
        // A file without bytes is of no use, even if it has reserved space.
        if stored == 0, !isComplete { self.file.fate = .removed }
        self.journal?.written = self.pieces?.spans
        if let pieces = self.pieces { self.journal?.ranges = pieces.synchronizedSpans }
        // Lines that were replaced while bytes were written list less than there is.
        if self.pieces != nil, self.file.fate == .kept { try? self.writeJournal() }
        if isKept, self.file.fate == .removed, self.journal != nil, stored > 0, (try? self.writeJournal()) != nil {
            self.file.fate = .kept
        }
        guard self.file.fate == .kept, stored > 0 || isComplete else { return nil }
        let (journal, name) = (self.journal, self.file.name)
        let resumeData = journal.map {
            DownloadResumeData($0, destination: destination, partialName: name, byteCount: stored)
        }
        return DownloadRemains(
            file: LiteralPath.url(self.file.path),
            byteCount: stored,
            isComplete: isComplete,
            resumeData: isComplete ? nil : resumeData
        )
    }

    /// The usable bytes of a file that is not written in parts now; one that was may have reserved space without bytes.
    private var usableByteCount: Int64 {
        let stored = (try? self.file.storedByteCount()) ?? 0
        guard let spans = self.journal?.usableSpans(of: stored, boot: BootIdentity.current) else { return stored }
        return spans.reduce(0) { $0 + $1.to - $1.from }
    }

    private mutating func synchronize() throws {
        try self.file.synchronize()
        let count = self.byteCount
        self.synchronizedByteCount = count
        self.journal?.ranges = [.init(from: 0, to: count)]
        try self.writeJournal()
    }

    private func writeJournal() throws {
        guard let journal else { return }
        let synchronizing = if case .journal = self.durability { true } else { false }
        try self.file.writeJournal(journal.encoded(), synchronizing: synchronizing)
    }

    private mutating func digest(upTo end: Int64) throws {
        guard !self.verifier.isIdle, self.digestedByteCount < end else { return }
        var verifier = self.verifier
        try self.read(self.digestedByteCount..<end) { verifier.update($0) }
        self.verifier = verifier
        self.digestedByteCount = end
    }

    /// Compares digests with those of the bytes from a position to the end, which are read from the file.
    private func verify(_ digests: [ContentDigest], from start: Int64) throws {
        var verifier = DigestVerifier(digests)
        if !verifier.isIdle { try self.read(start..<self.byteCount) { verifier.update($0) } }
        try verifier.verify()
    }

    /// Reads bytes of the file in pieces.
    private func read(_ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceByteCount, alignment: 16)
        defer { piece.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            try Task.checkCancellation()
            let missing = Int(min(Int64(piece.count), range.upperBound - offset))
            let wanted = UnsafeMutableRawBufferPointer(rebasing: piece[..<missing])
            let count = try self.file.read(into: wanted, at: offset)
            // The lock keeps out other downloads, not other programs.
            guard count > 0 else {
                throw SessionError(.storageFailed, reason: "another program has changed the partial file")
            }
            body(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
            offset += Int64(count)
        }
    }
}
