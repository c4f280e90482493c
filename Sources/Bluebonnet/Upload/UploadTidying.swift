// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

extension ResumableUpload {
    /// Removes what an upload has left that is complete, and whose process ended before it could: the journal, and the file if that is wanted.
    ///
    /// Anything else is left as it is; blocks.
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
        guard let journal = journalFile.readJournal().flatMap({ UploadJournal($0) }), journal.isComplete else { return }
        // A file that has changed since is another one.
        if self.removesFile, let source = try? UploadSource(file), source.identity == journal.source {
            try? FileManager.default.removeItem(at: file)
        }
        journalFile.fate = .removed
    }
}
