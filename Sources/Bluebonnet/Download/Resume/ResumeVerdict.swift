// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Where a download can continue, and the bytes received so far.
struct ResumePoint: Sendable, Equatable {
    /// The first requested position.
    var offset: Int64
    /// The position after the requested gap where the bytes at hand continue; nil if there are none.
    var end: Int64?
    /// The bytes at hand that are kept.
    var spans: [DownloadJournal.Span]
    var journal: DownloadJournal

    /// Creates the point; nil if the rest is not worth a request.
    ///
    /// If all bytes are present, the last one is requested again: its response shows that the representation is still
    /// the same.
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
        // Holes can be filled only if the length is known.
        guard journal.byteCount != nil else { return nil }
        self.offset = first.from > 0 ? 0 : first.to
        self.end = first.from > 0 ? first.from : spans[1].from
    }

    /// Creates the point for a gap in the bytes at hand.
    init(_ journal: DownloadJournal, gap: Range<Int64>) {
        (self.offset, self.end) = (gap.lowerBound, gap.upperBound)
        self.spans = []
        self.journal = journal
    }

    /// Whether there are bytes at hand after the requested gap.
    var hasHoles: Bool { self.end != nil }

    /// The number of bytes at hand.
    var byteCount: Int64 { self.spans.reduce(0) { $0 + $1.to - $1.from } }

    /// The number of bytes in the requested gap, or in the rest; nil if unknown.
    var missingByteCount: Int64? { (self.end ?? self.journal.byteCount).map { $0 - self.offset } }

    /// Adds the fields that request the gap, or the rest (RFC 9110 sections 13.1.5 and 14.2).
    func ask(_ headers: inout HTTPFields) {
        headers[.range] = "bytes=\(self.offset)-\(self.end.map { "\($0 - 1)" } ?? "")"
        headers[.ifRange] = self.journal.entityTag
    }
}

/// What the response to a request for the rest means for the bytes at hand.
enum ResumeVerdict: Equatable, Sendable {
    /// The response is the rest: its last position, and the total number of bytes.
    case append(upTo: Int64, of: Int64?)
    /// The response is the whole, which replaces the bytes at hand.
    case startOver(DownloadRestart)
    /// The response cannot be used; the whole has to be requested.
    case askAgain(DownloadRestart)
    /// The bytes at hand are the whole.
    case isComplete
    /// The response is a success whose content is neither the rest nor the whole.
    case otherSuccess
    /// The response says nothing about the file; it is probably an error.
    case unrelated

    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: Its header fields.
    ///   - byteCount: The announced length of its body; nil if unknown.
    ///   - source: The URL that answered, without user information, query and fragment.
    ///   - point: What was requested.
    ///   - acceptsOtherSource: Whether a digest will detect bytes of another URL that do not fit.
    init(
        status: Int,
        headers: HTTPFields,
        byteCount: Int64?,
        source: String,
        to point: ResumePoint,
        acceptsOtherSource: Bool
    ) {
        switch status {
        case 206: self = Self.part(headers, source, point, acceptsOtherSource)
        // RFC 9110 sections 15.3.1 and 15.3.4: the content of these alone is the representation.
        case 200, 203: self = Self.whole(headers, byteCount, point)
        // A 204 or 205 has no content, and that of a 202 is about the request (sections 15.3.3, 15.3.5 and 15.3.6).
        case 200..<300: self = .otherSuccess
        // RFC 9110 section 13.1.5 does not define this for If-Range, but some servers send it.
        case 412: self = .askAgain(.changed)
        case 416: self = Self.unsatisfied(headers, point)
        default: self = .unrelated
        }
    }

    /// - Parameters:
    ///   - response: The response.
    ///   - point: What was requested.
    ///   - acceptsOtherSource: Whether a digest will detect bytes of another URL that do not fit.
    init(_ response: StreamedResponse, to point: ResumePoint, acceptsOtherSource: Bool) {
        self.init(
            status: response.status.code,
            headers: response.headers,
            byteCount: response.body.expectedLength,
            source: RequestTarget.redacted(response.url),
            to: point,
            acceptsOtherSource: acceptsOtherSource
        )
    }

    private static func isSame(_ headers: HTTPFields, _ journal: DownloadJournal) -> Bool {
        EntityTag.strong(headers).map { EntityTag.match($0, journal.entityTag) } ?? false
    }

    /// Some programs answer a request for a range with the part and status 200, which nothing but its length or its
    /// Content-Range shows.
    private static func whole(_ headers: HTTPFields, _ byteCount: Int64?, _ point: ResumePoint) -> Self {
        if headers.contains(.contentRange) {
            guard case .part(let range, let complete?) = ContentRange(headers), range == 0...(complete - 1) else {
                return .askAgain(.invalidPart)
            }
        }
        if let byteCount, byteCount == point.missingByteCount { return .askAgain(.invalidPart) }
        guard self.isSame(headers, point.journal) else { return .startOver(.changed) }
        // A strong tag identifies the bytes (RFC 9110 section 8.8.1), and therefore their number, which is not smaller
        // than that of the bytes at hand.
        guard point.journal.byteCount == nil || point.journal.byteCount == byteCount,
            byteCount.map({ $0 >= point.offset }) ?? true
        else { return .askAgain(.invalidPart) }
        return .startOver(.rangeIgnored)
    }

    /// RFC 9110 section 15.3.7: a part identifies its range, and has the entity tag of the whole.
    private static func part(
        _ headers: HTTPFields,
        _ source: String,
        _ point: ResumePoint,
        _ acceptsOtherSource: Bool
    ) -> Self {
        let journal = point.journal
        // Without its own tag, the part may be of any representation: a server that ignores If-Range sends it as well.
        guard self.isSame(headers, journal) else { return .askAgain(.changed) }
        guard source.utf8.elementsEqual(journal.source.utf8) || acceptsOtherSource else {
            return .askAgain(.otherSource)
        }
        guard case .part(let range, let complete) = ContentRange(headers), range.lowerBound == point.offset else {
            return .askAgain(.invalidPart)
        }
        if let complete, let known = journal.byteCount, complete != known { return .askAgain(.changed) }
        guard range.upperBound < journal.byteCount ?? .max else { return .askAgain(.invalidPart) }
        // A part should not repeat this field (RFC 9110 section 15.3.7), and its strong tag is that of one coding only
        // (section 8.8.3).
        if let coding = DownloadJournal.contentEncoding(headers), coding != journal.contentEncoding {
            return .askAgain(.changed)
        }
        let digests = DigestFields(headers).representation
        for digest in digests {
            let known = journal.digests.first { $0.algorithm == digest.algorithm }
            if let known, known != digest { return .askAgain(.changed) }
        }
        return .append(upTo: range.upperBound, of: complete ?? journal.byteCount)
    }

    /// RFC 9110 section 15.5.17: the response should state the total number of bytes.
    private static func unsatisfied(_ headers: HTTPFields, _ point: ResumePoint) -> Self {
        guard case .unsatisfied(let complete) = ContentRange(headers), complete == point.offset,
            point.journal.byteCount == nil, !headers.contains(.eTag) || self.isSame(headers, point.journal)
        else { return .askAgain(.rangeRefused) }
        return .isComplete
    }
}
