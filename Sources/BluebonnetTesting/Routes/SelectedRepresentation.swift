// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A representation, and the selection from it by a request's preconditions and Range field (RFC 9110 sections 13 and
/// 14).
struct SelectedRepresentation: Sendable {
    /// The selection.
    enum Selection: Equatable, Sendable {
        case whole
        case part(Range<Int64>)
        /// 416: the range is outside the content.
        case unsatisfiable
        /// 304: the client has the current version.
        case notModified
        /// 412: the client requires another version.
        case preconditionFailed
    }

    let byteCount: Int64
    /// The entity tag in quotation marks, preceded by `W/` if it is weak.
    let entityTag: String
    /// The modification time in seconds since 1970.
    let modified: Int64

    /// Returns what a request selects, in the order of RFC 9110 section 13.2.2.
    ///
    /// - Parameters:
    ///   - method: GET or HEAD.
    ///   - now: The current time in seconds since 1970, needed for dates with two-digit years.
    ///   - values: Returns the values of the request's fields with a name.
    /// - Returns: The selection.
    func selection(method: String, now: Int64, _ values: (String) -> [String]) -> Selection {
        let matches = values("if-match")
        if !matches.isEmpty {
            guard EntityTags(matches).matchStrongly(self.entityTag) else { return .preconditionFailed }
        } else if let date = Self.date(values("if-unmodified-since"), now), self.modified > date {
            return .preconditionFailed
        }
        let mismatches = values("if-none-match")
        if !mismatches.isEmpty {
            if EntityTags(mismatches).matchWeakly(self.entityTag) { return .notModified }
        } else if let date = Self.date(values("if-modified-since"), now), self.modified <= date {
            return .notModified
        }
        // Section 14.2: ranges are defined for GET only.
        guard method == "GET", self.allowsRange(values("if-range")) else { return .whole }
        switch ByteRange(values("range"), length: self.byteCount) {
        case .whole: return .whole
        case .part(let range): return .part(range)
        case .unsatisfiable: return .unsatisfiable
        }
    }

    /// Returns the fields that describe a selection.
    func fields(of selection: Selection) -> [(name: String, value: String)] {
        var fields = [
            ("Accept-Ranges", "bytes"), ("ETag", self.entityTag), ("Last-Modified", HTTPDate.text(self.modified)),
        ]
        switch selection {
        case .part(let range):
            fields.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(self.byteCount)"))
        case .unsatisfiable: fields.append(("Content-Range", "bytes */\(self.byteCount)"))
        case .whole, .notModified, .preconditionFailed: break
        }
        return fields
    }

    /// RFC 9110 section 13.1.5: If-Range requires a strong tag or the exact date; anything else selects the whole.
    private func allowsRange(_ condition: [String]) -> Bool {
        guard let validator = condition.first else { return true }
        guard condition.count == 1, !self.isWeak else { return false }
        return validator == self.entityTag || validator == HTTPDate.text(self.modified)
    }

    private var isWeak: Bool { self.entityTag.utf8.starts(with: "W/".utf8) }

    /// Parses a date; an invalid one, or one of several, is ignored.
    private static func date(_ values: [String], _ now: Int64) -> Int64? {
        values.count == 1 ? HTTPDate.seconds(values[0], now: now) : nil
    }
}

extension SelectedRepresentation.Selection {
    /// The status of the response.
    var status: Int {
        switch self {
        case .whole: 200
        case .part: 206
        case .unsatisfiable: 416
        case .notModified: 304
        case .preconditionFailed: 412
        }
    }

    /// Returns the range of the body.
    ///
    /// - Parameter byteCount: The length of the whole representation.
    /// - Returns: The positions in it.
    func range(in byteCount: Int64) -> Range<Int64> {
        switch self {
        case .whole: 0..<byteCount
        case .part(let range): range
        case .unsatisfiable, .notModified, .preconditionFailed: 0..<0
        }
    }
}
