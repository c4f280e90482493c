// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

/// What is known of the bytes in a partial file: the content of its journal.
///
/// The first line is JSON. Where the file has holes, because several ranges are received at a time, ``PieceRecords`` follow it.
struct DownloadJournal: Codable, Equatable, Sendable {
    static let currentVersion = 1

    private enum CodingKeys: String, CodingKey {
        case version, source, entityTag, byteCount, contentEncoding, digests, ranges, boot
    }

    /// Positions of the file, the upper one excluded.
    struct Span: Codable, Equatable, Sendable {
        var from: Int64
        var to: Int64
    }

    var version = Self.currentVersion

    /// The URL that gave the bytes, without user information, query and fragment.
    var source: String

    /// The strong entity tag of the representation that the bytes are of (RFC 9110 section 8.8.3).
    var entityTag: String

    /// How many bytes the whole has; nil if the server did not say.
    var byteCount: Int64?

    /// The content coding of the representation; nil for none.
    var contentEncoding: String?

    /// The digests that the server gave of the whole.
    var digests: [ContentDigest] = []

    /// What survives a loss of power: empty unless the journal is synchronized at intervals.
    var ranges: [Span] = []

    /// The start of the system in which the bytes were written; in the same one, all bytes of the file count.
    var boot: String?

    /// What has been written, by the lines behind the first one; nil for a file without holes, all of whose bytes count.
    var written: [Span]?

    /// Describes the representation that a response carries.
    ///
    /// - Returns: nil if nothing could tell this representation from another one: it has no strong entity tag.
    init?(_ head: StreamedResponse, byteCount: Int64?) {
        // A journal that is too large to be read again is none.
        guard let entityTag = EntityTag.strong(head.headers), entityTag.utf8.count <= 8192 else { return nil }
        self.source = RequestTarget.redacted(head.url)
        self.entityTag = entityTag
        self.byteCount = byteCount
        self.contentEncoding = head.headers[.contentEncoding]
        self.digests = DigestFields(head.headers).representation
        self.boot = BootIdentity.current
    }

    /// Reads a journal.
    ///
    /// - Returns: nil if it is of another version, or not one.
    init?(_ content: [UInt8]) {
        let (header, written) = PieceRecords.split(content)
        guard let journal = try? JSONDecoder().decode(Self.self, from: Data(header)),
            journal.version == Self.currentVersion, EntityTag.isStrong(journal.entityTag),
            journal.byteCount ?? 0 >= 0, journal.ranges.allSatisfy({ 0 <= $0.from && $0.from <= $0.to })
        else { return nil }
        self = journal
        self.written = written
    }

    /// The journal as it is written.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Array(try encoder.encode(self))
        return self.written.map { PieceRecords.content(header, $0) } ?? header
    }

    /// Which bytes of the file count.
    ///
    /// - Parameters:
    ///   - stored: The bytes the file has.
    ///   - boot: The start of the system now.
    /// - Returns: The positions, in their order; no two of them touch.
    func usableSpans(of stored: Int64, boot: String?) -> [Span] {
        // More than there can be: the bytes are not what the journal says.
        if let byteCount, stored > byteCount { return [] }
        let isSameBoot = boot != nil && boot == self.boot
        let spans = isSameBoot ? self.written ?? [Span(from: 0, to: stored)] : self.ranges
        return Self.joined(spans.map { Span(from: $0.from, to: min($0.to, stored)) })
    }

    /// The same positions in their order, without those that are empty, overlap or touch.
    static func joined(_ spans: [Span]) -> [Span] {
        var joined: [Span] = []
        for span in spans.sorted(by: { $0.from < $1.from }) where span.from < span.to {
            if let last = joined.last, span.from <= last.to {
                joined[joined.count - 1].to = max(last.to, span.to)
            } else {
                joined.append(span)
            }
        }
        return joined
    }
}

/// Strong tags as text, which is how a journal and a request have them.
extension EntityTag {
    /// The strong tag of a response; nil if it has none, a weak one, or more than one.
    static func strong(_ headers: HTTPFields) -> String? {
        let values = headers[values: .eTag]
        guard values.count == 1, self.isStrong(values[0]) else { return nil }
        return values[0]
    }

    /// Whether a text is a strong tag, as it may stand in If-Range.
    static func isStrong(_ text: String) -> Bool {
        guard !self.isDamaged(text) else { return false }
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
    }

    /// Whether two strong tags are the same, byte by byte.
    static func match(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
