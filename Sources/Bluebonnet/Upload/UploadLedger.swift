// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials

/// Keeps the journal of one upload, and counts the bytes that the server has acknowledged.
///
/// An actor, because the parts of a parallel upload share it.
actor UploadLedger {
    /// How the journal relates to an earlier upload.
    enum Opening: Equatable {
        case fresh, resumed, changed
    }

    private(set) var journal: UploadJournal
    /// The journal on the disk, as long as the upload that replaces it has not begun.
    private(set) var earlier: UploadJournal?
    let opening: Opening
    /// Why it started again with the first byte, as a whole or in part.
    private(set) var restart: UploadRestart?
    /// The number of bytes that the server had before this upload began.
    private(set) var resumedByteCount: Int64 = 0
    private var file: PartialFile?
    private var isKept = false
    private let call: Call?
    nonisolated let journalURL: URL

    /// Opens and locks the journal, and compares it with the upload that begins.
    ///
    /// - Parameters:
    ///   - location: The location of the journal, with the name of the file.
    ///   - name: The journal's name without the ending.
    ///   - fresh: The journal of a new upload.
    ///   - isSame: Whether the file is that of a journal.
    ///   - call: The call of the upload, which reports acknowledged bytes to its progress and its observers; nil if
    ///     there is none.
    /// - Throws: `SystemError`; what `isSame` throws.
    init(
        at location: FileLocation,
        name: String,
        fresh: UploadJournal,
        isSame: (UploadJournal) throws -> Bool,
        call: Call?
    ) throws {
        var file = try PartialFile(at: location, continuing: name)
        // From here on an error keeps the remains of an earlier upload.
        file.fate = .kept
        let found = try file.readJournal().flatMap { UploadJournal($0) }
        var (opening, journal) = (Opening.fresh, fresh)
        if let found, found.target.utf8.elementsEqual(fresh.target.utf8), found.dialect == fresh.dialect {
            if try isSame(found) {
                (opening, journal) = (.resumed, found)
                journal.source = fresh.source
            } else if !found.isComplete {
                opening = .changed
            }
        } else {
            file.fate = .removed
        }
        self.opening = opening
        self.isKept = opening != .fresh
        self.journal = journal
        self.earlier = opening == .changed ? found : nil
        self.call = call
        self.journalURL = LiteralPath.url("\(file.path).journal")
        self.file = consume file
        call?.handling.monitor?.upload.begin(total: journal.source.byteCount, completed: journal.acknowledged)
    }

    /// Begins with the first byte, in the given parts.
    func begin(_ parts: [UploadJournal.Part], _ capabilities: UploadCapabilities, restart: UploadRestart?) throws {
        self.journal.parts = parts
        self.journal.capabilities = capabilities
        self.journal.isComplete = false
        self.restart = restart
        try self.write()
        self.earlier = nil
        if let restart { self.call?.tell(.upload(.restarted(restart))) }
    }

    /// Records that the server has created the upload of a part.
    func created(_ url: URL, ofPart index: Int) throws {
        guard let text = url.withoutUserInformation, self.journal.parts[index].url != text else { return }
        self.journal.parts[index].url = text
        try self.write()
    }

    /// Records that the server has the bytes of a part up to a position.
    func acknowledge(_ offset: Int64, ofPart index: Int) throws {
        let part = self.journal.parts[index]
        guard (part.from...part.to).contains(offset), offset != part.offset else { return }
        self.journal.parts[index].offset = offset
        self.report()
        try self.update()
        self.call?.tell(.upload(.acknowledged(self.journal.acknowledged, of: self.journal.source.byteCount)))
    }

    /// Records how much of a part the server had before this upload began.
    func resumed(at offset: Int64, ofPart index: Int) {
        self.resumedByteCount += offset - self.journal.parts[index].from
        self.call?.tell(.upload(.resumed(at: self.journal.acknowledged, of: self.journal.source.byteCount)))
    }

    /// Records that the server has lost a part.
    func reset(part index: Int) throws {
        self.restart = .lost
        self.journal.parts[index].url = nil
        self.journal.parts[index].offset = self.journal.parts[index].from
        self.report()
        try self.update()
        self.call?.tell(.upload(.restarted(.lost)))
    }

    /// Records until when the server keeps the upload.
    func expires(_ date: String) throws {
        guard self.journal.expires != date else { return }
        self.journal.expires = date
        try self.update()
    }

    /// Records the digest of the file.
    func identify(_ digest: ContentDigest) { self.journal.digest = digest }

    /// Records that the server has everything.
    ///
    /// - Parameter isEvidence: Whether the record is needed; otherwise it is removed soon.
    /// - Throws: `SessionError` if the journal cannot be written.
    func complete(isEvidence: Bool) throws {
        self.journal.isComplete = true
        if isEvidence { try self.write() } else { try self.update() }
        self.call?.tell(.upload(.finished(byteCount: self.journal.source.byteCount)))
    }

    /// Removes the journal.
    func remove() {
        self.file?.fate = .removed
        self.isKept = false
        self.file = nil
    }

    /// Unlocks the journal, which is kept if it was written.
    func release() { self.file = nil }

    /// The data to continue with; nil if nothing was kept.
    var remains: UploadRemains? {
        guard self.isKept else { return nil }
        let journal = self.earlier ?? self.journal
        return UploadRemains(
            acknowledgedByteCount: journal.acknowledged,
            byteCount: journal.source.byteCount,
            url: journal.parts.count == 1 ? journal.parts[0].url.flatMap { URL(string: $0) } : nil,
            expires: journal.expires,
            journal: self.journalURL
        )
    }

    private func report() {
        self.call?.handling.monitor?.upload.begin(
            total: self.journal.source.byteCount,
            completed: self.journal.acknowledged
        )
    }

    /// Writes what the next upload could also learn from the server, unless there is no room for it now: the upload
    /// itself needs none.
    private func update() throws {
        do {
            try self.write()
        } catch let error as SessionError where error.code == .storageFull || error.isShortage {
            // The next change is written together with this one.
        }
    }

    private func write() throws {
        guard let content = try? self.journal.encoded() else { return }
        // A journal that is too large to read would lose the upload with the process.
        guard content.count <= JournalFile.largest else {
            throw SessionError.uploadProtocol("the server has given the upload URLs that are too long to be kept")
        }
        do {
            try self.file?.writeJournal(content, synchronizing: false)
            self.file?.fate = .kept
            self.isKept = true
        } catch {
            throw SessionError(ofUploadJournal: error)
        }
    }
}

extension URL {
    /// Scheme, host, port, path and query, which a journal may contain; nil if the URL cannot be requested.
    fileprivate var withoutUserInformation: String? {
        (try? RequestTarget(self)).map { "\($0.origin)\($0.target)" }
    }
}
