// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import NIOCore

/// The file of a download that is under way, with its journal and its digests.
///
/// Dropped before ``commit(replacing:)``, it leaves what its `file.fate` says.
struct PartialDownload: ~Copyable {
    private(set) var file: PartialFile
    private(set) var journal: DownloadJournal?
    private var verifier = DigestVerifier()
    /// Digests of the bytes of one response, where those are a part.
    private var partVerifier = DigestVerifier()
    /// Digests of the whole that only the rest came with, when the bytes in front of it had gone by.
    private var lateDigests: [ContentDigest] = []
    private let durability: DownloadPolicy.Durability
    private var synchronizedByteCount: Int64 = 0
    /// Where the next bytes are written if there are several such places.
    private var pieces: DownloadPieces?
    /// The bytes from the beginning whose digests have been computed.
    private var digestedByteCount: Int64 = 0

    private static var pieceByteCount: Int { 256 * 1024 }

    /// - Parameters:
    ///   - file: The file.
    ///   - durability: What is written to the disk, and when.
    init(_ file: consuming PartialFile, durability: DownloadPolicy.Durability) {
        self.file = file
        self.durability = durability
    }

    /// The number of bytes the file has, wherever they are.
    var byteCount: Int64 { self.pieces?.writtenByteCount ?? self.file.byteCount }

    /// Where the file can be continued, by what its journal says; nil if it cannot.
    ///
    /// The bytes before that place stay whatever happens, until the file is begun again.
    mutating func resumePoint() throws(SystemError) -> ResumePoint? {
        guard let journal = self.file.readJournal().flatMap({ DownloadJournal($0) }) else { return nil }
        let usable = journal.usableSpans(of: try self.file.storedByteCount(), boot: BootIdentity.current)
        guard let point = ResumePoint(journal, usable: usable) else { return nil }
        self.journal = journal
        self.file.fate = .kept
        return point
    }

    /// The bytes that the rest can follow; 0 if they cannot be told from those of another version.
    var keptByteCount: Int64 { self.journal == nil ? 0 : self.byteCount }

    /// Where the file goes on whose response has broken off, its digests computed up to there; nil if only from its first byte.
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

    /// Drops what the file has, for a body from its first byte.
    ///
    /// - Parameters:
    ///   - journal: What the bytes will be; nil if they could not be told from others, so that they cannot be kept.
    ///   - isKept: Whether the file outlives an error, and the process.
    ///   - digests: What the whole must have.
    /// - Throws: `SystemError`.
    mutating func begin(_ journal: DownloadJournal?, isKept: Bool, verifying digests: [ContentDigest]) throws {
        self.pieces = nil
        let wasSynchronized = self.journal?.ranges.isEmpty == false
        // First the journal: without it, nobody takes the next bytes for the rest of the last ones.
        self.file.removeJournal()
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

    /// Computes the digests of the bytes in front of the place where the download goes on.
    ///
    /// - Throws: `SystemError`; `CancellationError` when the task is cancelled.
    mutating func prepare(toContinueAt point: ResumePoint, verifying digests: [ContentDigest]) throws {
        self.verifier = DigestVerifier(digests)
        self.digestedByteCount = 0
        try self.digest(upTo: point.offset)
    }

    /// Goes on at several places at a time.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes of the whole.
    ///   - spans: The bytes at hand.
    ///   - smallest: The bytes that are worth a request of their own.
    ///   - digests: What the whole must have, too.
    /// - Returns: The places.
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
        // After a loss of power, what it left counts, and what follows counts in this start of the system.
        self.journal?.boot = BootIdentity.current
        let table = PieceTable(byteCount: byteCount, written: spans, smallest: smallest)
        // First the journal: without it, the room for the rest would count as bytes that have been written.
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

    /// Goes on behind the bytes at hand.
    mutating func proceed(at offset: Int64, verifying digests: [ContentDigest], part: [ContentDigest]) throws {
        self.pieces = nil
        try self.file.truncate(to: offset)
        self.lateDigests += self.verifier.expect(digests)
        self.partVerifier = DigestVerifier(part)
        self.synchronizedByteCount = offset
        guard let journal, journal.boot != BootIdentity.current || journal.written != nil else { return }
        // The bytes that survived a loss of power count as before; those that follow count in this start of the system, and not only as far as
        // the lines of a download in parts say.
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
    /// Bytes that came out of their order, and those whose digest was not known before their end, are read from the file.
    ///
    /// - Parameters:
    ///   - late: The digests that came behind the body.
    ///   - start: Where the body begins in the file.
    /// - Returns: The digests that it has.
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
        for (digests, offset) in [(whole, 0), (part, start)] {
            var verifier = DigestVerifier(digests)
            if !verifier.isIdle { try self.read(offset..<self.byteCount) { verifier.update($0) } }
            try verifier.verify()
        }
        return expected + whole
    }

    /// Gives the file its name.
    mutating func commit(replacing: Bool) throws(SystemError) {
        // From here on nothing is lost: a complete file stays, if not under its name.
        self.file.fate = .kept
        try self.file.commit(replacing: replacing, synchronizing: self.durability != .none)
    }

    /// The file is of no use to anybody.
    mutating func discard() { self.file.fate = .removed }

    /// Ends an unfinished file, and says what of it is left.
    ///
    /// - Parameters:
    ///   - destination: Where it should have gone.
    ///   - isKept: Whether it is kept even if nobody asked for that before.
    ///   - isComplete: Whether all bytes are there.
    /// - Returns: nil if nothing is left.
    mutating func settle(destination: URL, isKept: Bool, isComplete: Bool) -> DownloadRemains? {
        // A full disk takes no more; what it has counts.
        try? self.file.flush()
        let stored = self.pieces?.writtenByteCount ?? self.usableByteCount
        // Room without bytes is of no use to anybody.
        if self.pieces != nil, stored == 0 { self.file.fate = .removed }
        self.journal?.written = self.pieces?.spans
        if let pieces = self.pieces { self.journal?.ranges = pieces.synchronizedSpans }
        // Lines that were replaced while bytes were written say less than is there.
        if self.pieces != nil, self.file.fate == .kept { try? self.writeJournal() }
        if isKept, self.file.fate == .removed, self.journal != nil, stored > 0, (try? self.writeJournal()) != nil {
            self.file.fate = .kept
        }
        guard self.file.fate == .kept, self.file.isThere, stored > 0 || isComplete else { return nil }
        let (journal, name) = (self.journal, self.file.name)
        let resumeData = journal.map {
            DownloadResumeData($0, destination: destination, partialName: name, byteCount: stored)
        }
        return DownloadRemains(
            file: URL(filePath: self.file.path, directoryHint: .notDirectory),
            byteCount: stored,
            isComplete: isComplete,
            resumeData: isComplete ? nil : resumeData
        )
    }

    /// The bytes of a file that is not written in parts now; one that was may have room without bytes.
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

    /// Reads bytes that the system has, piece after piece.
    private func read(_ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceByteCount, alignment: 16)
        defer { piece.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            try Task.checkCancellation()
            let missing = Int(min(Int64(piece.count), range.upperBound - offset))
            let wanted = UnsafeMutableRawBufferPointer(rebasing: piece[..<missing])
            let count = try self.file.read(into: wanted, at: offset)
            // The lock keeps other downloads away, not other programs.
            guard count > 0 else {
                throw SessionError(.storageFailed, reason: "another program has changed the partial file")
            }
            body(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
            offset += Int64(count)
        }
    }
}
