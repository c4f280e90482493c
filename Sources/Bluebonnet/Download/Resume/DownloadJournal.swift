// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// The content of a partial file's journal, which describes its bytes.
///
/// The first line is JSON. If the file has holes, because several ranges are received at a time, ``PieceRecords``
/// follow it.
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

    /// The URL that the bytes came from, without user information, query and fragment.
    var source: String

    /// The strong entity tag of the representation (RFC 9110 section 8.8.3).
    var entityTag: String

    /// The total number of bytes; nil if the server did not send it.
    var byteCount: Int64?

    /// The content coding of the representation; nil for none.
    var contentEncoding: String?

    /// The digests of the whole that the server has sent.
    var digests: [ContentDigest] = []

    /// The ranges that survive a loss of power: empty unless the journal is synchronized at intervals.
    var ranges: [Span] = []

    /// The boot of the system in which the bytes were written; during the same one, all bytes of the file are valid.
    var boot: String?

    /// The written ranges, by the lines after the first; nil for a file without holes, whose bytes are all valid.
    var written: [Span]?

    /// Describes the representation that a response carries.
    ///
    /// - Returns: nil if nothing could tell this representation from another: it has no strong entity tag.
    init?(_ head: StreamedResponse, byteCount: Int64?) {
        // A journal that would be too large to read is not written.
        guard let entityTag = EntityTag.strong(head.headers), entityTag.utf8.count <= 8192 else { return nil }
        self.source = RequestTarget.redacted(head.url)
        self.entityTag = entityTag
        self.byteCount = byteCount
        self.contentEncoding = Self.contentEncoding(head.headers)
        self.digests = DigestFields(head.headers).representation
        self.boot = BootIdentity.current
    }

    /// The content codings of a response in lower case; nil for none, which `identity` says, too (RFC 9110 section
    /// 12.5.3).
    static func contentEncoding(_ headers: HTTPFields) -> String? {
        let codings = headers.contentCodings
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    /// Parses a journal.
    ///
    /// - Returns: nil if it has another version, or is not a journal.
    init?(_ content: [UInt8]) {
        let (header, written) = PieceRecords.split(content)
        guard let journal = try? JSONDecoder().decode(Self.self, from: Data(header)),
            journal.version == Self.currentVersion, EntityTag.isStrong(journal.entityTag),
            journal.byteCount ?? 0 >= 0, journal.ranges.allSatisfy({ 0 <= $0.from && $0.from <= $0.to })
        else { return nil }
        self = journal
        self.written = written
    }

    /// Encodes the journal.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Array(try encoder.encode(self))
        return self.written.map { PieceRecords.content(header, $0) } ?? header
    }

    /// The valid ranges of the file.
    ///
    /// - Parameters:
    ///   - stored: The number of bytes in the file.
    ///   - boot: The current boot of the system.
    /// - Returns: The ranges, in their order; no two of them touch.
    func usableSpans(of stored: Int64, boot: String?) -> [Span] {
        // More than the total: the bytes are not those that the journal describes.
        if let byteCount, stored > byteCount { return [] }
        let isSameBoot = boot != nil && boot == self.boot
        let spans = isSameBoot ? self.written ?? [Span(from: 0, to: stored)] : self.ranges
        return Self.joined(spans.map { Span(from: $0.from, to: min($0.to, stored)) })
    }

    /// The same positions in their order, as ranges that are not empty and do not overlap or touch.
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

/// Strong tags as text, as used in a journal and a request.
extension EntityTag {
    /// The strong tag of a response; nil if it has none, a weak one, or several that differ.
    static func strong(_ headers: HTTPFields) -> String? {
        let values = headers[values: .eTag]
        guard let first = values.first, self.isStrong(first), values.allSatisfy({ self.match($0, first) }) else {
            return nil
        }
        return first
    }

    /// Whether a text is a strong tag that is allowed in If-Range.
    static func isStrong(_ text: String) -> Bool {
        guard !self.isDamaged(text) else { return false }
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
    }

    /// Whether two strong tags are the same, byte by byte.
    static func match(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
