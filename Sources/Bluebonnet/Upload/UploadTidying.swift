// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

extension ResumableUpload {
    /// Removes the journal of an upload that is not continued, unless an upload is using it; the function blocks the
    /// thread.
    ///
    /// - Parameters:
    ///   - file: The file's URL.
    ///   - url: The URL that creates uploads.
    func forget(_ file: URL, uploadedTo url: URL) {
        guard let place = try? UploadJournalPlace(file, url, self, self.dialect) else { return }
        // It is removed when it is released.
        _ = try? PartialFile(at: place.location, continuing: place.name)
    }

    /// Removes the remains of a complete upload whose process ended before it could do so: the journal, and the file if
    /// that is wanted.
    ///
    /// Everything else is left unchanged. The function blocks the thread.
    ///
    /// - Parameters:
    ///   - file: The file's URL.
    ///   - url: The URL that creates uploads.
    func tidy(_ file: URL, uploadedTo url: URL) {
        guard let place = try? UploadJournalPlace(file, url, self, self.dialect),
            let lock = FileLocation(path: place.location.sibling(place.name)),
            FileNumber.ofRegularFile(at: lock) != nil,
            var journalFile = try? PartialFile(at: place.location, continuing: place.name)
        else { return }
        journalFile.fate = .kept
        let found: [UInt8]?
        do throws(SystemError) {
            found = try journalFile.readJournal()
        } catch {
            return
        }
        guard let content = found else {
            // Its process removes the journal first, and may have ended after that. One that has not written it yet
            // holds the lock.
            let isGone = FileLocation(path: lock.path + ".journal").map { FileNumber.ofRegularFile(at: $0) == nil }
            if isGone == true, (try? journalFile.storedByteCount()) == 0 { journalFile.fate = .removed }
            return
        }
        guard let journal = UploadJournal(content), journal.isComplete else { return }
        // A file that has changed since then is another one.
        if self.removesFile {
            try? RegularFile.remove(file.path(percentEncoded: false), ifStill: journal.source)
        }
        journalFile.fate = .removed
    }
}

extension UploadScene {
    /// Terminates the unfinished uploads of a journal that is not continued, if the server can be reached.
    ///
    /// What the server has completely stays: the process that sent it may have ended before the response.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func giveUp(_ journal: UploadJournal) async throws {
        for part in journal.parts {
            guard let url = part.url, let request = try? self.request(to: url) else { continue }
            do {
                var inquiry = request
                self.dialect.inquire(&inquiry)
                let response = try await self.exchange(inquiry)
                let receipt = try self.dialect.receipt(response.headers, for: nil, of: part.to - part.from)
                guard response.status.kind == .successful, !receipt.isComplete else { continue }
                try await self.session.terminate(request, self.dialect)
            } catch is SessionError {
                // The server drops it at some time by itself.
            }
        }
    }
}
