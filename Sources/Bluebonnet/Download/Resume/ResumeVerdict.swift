// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Where a download can go on: the bytes at hand, and what they are.
struct ResumePoint: Sendable, Equatable {
    /// The first position that is asked for.
    var offset: Int64
    /// The position where the bytes at hand go on behind the gap that is asked for; nil if none do.
    var end: Int64?
    /// The bytes at hand that are kept.
    var spans: [DownloadJournal.Span]
    var journal: DownloadJournal

    /// nil where nothing is worth asking for the rest.
    ///
    /// Of a whole that is there already, the last byte is asked for again: its response shows that the representation is still the
    /// same one.
    init?(_ journal: DownloadJournal, usable spans: [DownloadJournal.Span]) {
        guard let first = spans.first else { return nil }
        self.journal = journal
        self.spans = spans
        guard first.from > 0 || spans.count > 1 else {
            self.offset = min(first.to, journal.byteCount.map { $0 - 1 } ?? first.to)
            self.spans = [.init(from: 0, to: self.offset)]
            if self.offset <= 0 { return nil }
            return
        }
        // Holes can only be filled where the length is known.
        guard journal.byteCount != nil else { return nil }
        self.offset = first.from > 0 ? 0 : first.to
        self.end = first.from > 0 ? first.from : spans[1].from
    }

    /// A gap in the bytes at hand.
    init(_ journal: DownloadJournal, gap: Range<Int64>) {
        (self.offset, self.end) = (gap.lowerBound, gap.upperBound)
        self.spans = []
        self.journal = journal
    }

    /// Whether bytes at hand lie behind the gap that is asked for.
    var hasHoles: Bool { self.end != nil }

    /// How many bytes are at hand.
    var byteCount: Int64 { self.spans.reduce(0) { $0 + $1.to - $1.from } }

    /// The fields that ask for the gap, or for the rest (RFC 9110 sections 13.1.5 and 14.2).
    func ask(_ headers: inout HTTPFields) {
        headers[.range] = "bytes=\(self.offset)-\(self.end.map { "\($0 - 1)" } ?? "")"
        headers[.ifRange] = self.journal.entityTag
    }
}

/// What the response to a request for the rest means for the bytes at hand.
enum ResumeVerdict: Equatable, Sendable {
    /// The response is the rest: the last position it has, and the number of bytes of the whole.
    case append(upTo: Int64, of: Int64?)
    /// The response is the whole: it takes the place of the bytes at hand.
    case startOver(DownloadRestart)
    /// The response is of no use; the whole has to be asked for.
    case askAgain(DownloadRestart)
    /// The bytes at hand are the whole.
    case isComplete
    /// It says nothing about the file: an error, most likely.
    case unrelated

    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: Its header fields.
    ///   - source: The URL that answered, without user information, query and fragment.
    ///   - point: What was asked for.
    ///   - acceptsOtherSource: Whether a digest will tell if bytes of another URL do not fit.
    init(
        status: Int,
        headers: HTTPFields,
        source: String,
        to point: ResumePoint,
        acceptsOtherSource: Bool
    ) {
        switch status {
        case 206: self = Self.part(headers, source, point, acceptsOtherSource)
        case 200..<300: self = .startOver(Self.isSame(headers, point.journal) ? .rangeIgnored : .changed)
        // Not what RFC 9110 section 13.1.5 says of If-Range, but some servers do it.
        case 412: self = .askAgain(.changed)
        case 416: self = Self.unsatisfied(headers, point)
        default: self = .unrelated
        }
    }

    /// - Parameters:
    ///   - response: The response.
    ///   - point: What was asked for.
    ///   - acceptsOtherSource: Whether a digest will tell if bytes of another URL do not fit.
    init(_ response: StreamedResponse, to point: ResumePoint, acceptsOtherSource: Bool) {
        self.init(
            status: response.status.code,
            headers: response.headers,
            source: RequestTarget.redacted(response.url),
            to: point,
            acceptsOtherSource: acceptsOtherSource
        )
    }

    private static func isSame(_ headers: HTTPFields, _ journal: DownloadJournal) -> Bool {
        EntityTag.strong(headers).map { EntityTag.match($0, journal.entityTag) } ?? false
    }

    /// RFC 9110 section 15.3.7: a part says which one it is, and has the entity tag that the whole would have.
    private static func part(
        _ headers: HTTPFields,
        _ source: String,
        _ point: ResumePoint,
        _ acceptsOtherSource: Bool
    ) -> Self {
        let journal = point.journal
        // Without a tag of its own, the part may be one of anything: a server that ignores If-Range sends it all the same.
        guard self.isSame(headers, journal) else { return .askAgain(.changed) }
        guard source.utf8.elementsEqual(journal.source.utf8) || acceptsOtherSource else {
            return .askAgain(.otherSource)
        }
        guard case .part(let range, let complete) = ContentRange(headers), range.lowerBound == point.offset else {
            return .askAgain(.invalidPart)
        }
        if let complete, let known = journal.byteCount, complete != known { return .askAgain(.changed) }
        guard range.upperBound < journal.byteCount ?? .max else { return .askAgain(.invalidPart) }
        guard headers[.contentEncoding] == journal.contentEncoding else { return .askAgain(.changed) }
        let digests = DigestFields(headers).representation
        for digest in digests {
            let known = journal.digests.first { $0.algorithm == digest.algorithm }
            if let known, known != digest { return .askAgain(.changed) }
        }
        return .append(upTo: range.upperBound, of: complete ?? journal.byteCount)
    }

    /// RFC 9110 section 15.5.17: the response should say how many bytes there are.
    private static func unsatisfied(_ headers: HTTPFields, _ point: ResumePoint) -> Self {
        guard case .unsatisfied(let complete) = ContentRange(headers), complete == point.offset,
            point.journal.byteCount == nil, !headers.contains(.eTag) || self.isSame(headers, point.journal)
        else { return .askAgain(.rangeRefused) }
        return .isComplete
    }
}
