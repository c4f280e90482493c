// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// What is known of an upload that is under way: the content of its journal, in JSON.
struct UploadJournal: Codable, Equatable, Sendable {
    static let currentVersion = 1

    /// A part of the file with an upload of its own; one part is the usual case.
    struct Part: Codable, Equatable, Sendable {
        /// Positions in the file, the upper one excluded.
        var from: Int64
        var to: Int64
        /// The URL of the upload, without user information and fragment; nil before it was created.
        ///
        /// Its query stays: it may be what names the upload.
        var url: String?
        /// The position in the file up to which the server has acknowledged the bytes.
        var offset: Int64
    }

    var version = Self.currentVersion

    /// Where the upload was created: a URL without user information, query and fragment.
    var target: String

    /// The protocol and its version.
    var dialect: String

    /// What the file was.
    var source: FileIdentity

    /// The digest of the file, if it is kept.
    var digest: ContentDigest?

    /// What the server offers.
    var capabilities = UploadCapabilities()

    var parts: [Part]

    /// When the server drops the upload, as it wrote it.
    var expires: String?

    /// Whether the server has everything; what is left is to clean up.
    var isComplete = false

    init(target: String, dialect: String, source: FileIdentity, parts: [Part]) {
        self.target = target
        self.dialect = dialect
        self.source = source
        self.parts = parts
    }

    /// Reads a journal.
    ///
    /// - Returns: nil if it is of another version, or not one.
    init?(_ content: [UInt8]) {
        guard let journal = try? JSONDecoder().decode(Self.self, from: Data(content)), journal.isSound else {
            return nil
        }
        self = journal
    }

    /// The journal as it is written.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// The bytes that the server has acknowledged.
    var acknowledged: Int64 { self.parts.reduce(0) { $0 + ($1.offset - $1.from) } }

    /// Whether the parts cover the file, one after the other, and the numbers can be.
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

/// What a tus server has said about itself.
struct UploadCapabilities: Codable, Equatable, Sendable {
    var extensions: Set<String> = []
    var checksumAlgorithms: [String] = []
    var limits = UploadLimits()
}
