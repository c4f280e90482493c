// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// The content of an unfinished upload's journal, in JSON.
struct UploadJournal: Codable, Equatable, Sendable {
    static let currentVersion = 1

    /// A part of the file with its own upload; usually there is one part.
    struct Part: Codable, Equatable, Sendable {
        /// Positions in the file, the upper one excluded.
        var from: Int64
        var to: Int64
        /// The URL of the upload, without user information and fragment; nil before it was created.
        ///
        /// Its query is kept: it may identify the upload.
        var url: String?
        /// The position in the file up to which the server has acknowledged the bytes.
        var offset: Int64
    }

    var version = Self.currentVersion

    /// The URL that creates uploads, without user information, query and fragment.
    var target: String

    /// The protocol and its version.
    var dialect: String

    /// The identity of the file.
    var source: FileIdentity

    /// The digest of the file, if it is kept.
    var digest: ContentDigest?

    /// The capabilities of the server.
    var capabilities = UploadCapabilities()

    var parts: [Part]

    /// The time at which the server drops the upload, as it wrote it.
    var expires: String?

    /// Whether the server has everything; only the cleanup is left.
    var isComplete = false

    init(target: String, dialect: String, source: FileIdentity, parts: [Part]) {
        self.target = target
        self.dialect = dialect
        self.source = source
        self.parts = parts
    }

    /// Parses a journal.
    ///
    /// - Returns: nil if it has another version, or is not a journal.
    init?(_ content: [UInt8]) {
        guard let journal = try? JSONDecoder().decode(Self.self, from: Data(content)), journal.isSound else {
            return nil
        }
        self = journal
    }

    /// Encodes the journal.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// The number of bytes that the server has acknowledged.
    var acknowledged: Int64 { self.parts.reduce(0) { $0 + ($1.offset - $1.from) } }

    /// Whether the parts cover the file, one after the other, and the numbers are valid.
    private var isSound: Bool {
        guard self.version == Self.currentVersion, self.source.byteCount >= 0,
            (1...TusOptions.largestParallelism).contains(self.parts.count)
        else { return false }
        var end: Int64 = 0
        for part in self.parts {
            guard part.from == end, part.from <= part.offset, part.offset <= part.to else { return false }
            end = part.to
        }
        return end == self.source.byteCount
    }
}

/// The capabilities that a tus server has reported.
struct UploadCapabilities: Codable, Equatable, Sendable {
    var extensions: Set<String> = []
    var checksumAlgorithms: [String] = []
    var limits = UploadLimits()
}
