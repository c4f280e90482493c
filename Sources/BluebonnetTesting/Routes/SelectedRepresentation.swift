// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// What a resource has to offer, and what of it a request's conditions and its Range field select (RFC 9110 sections 13 and 14).
struct SelectedRepresentation: Sendable {
    /// What is sent.
    enum Selection: Equatable, Sendable {
        case whole
        case part(Range<Int64>)
        /// 416: nothing that there is was asked for.
        case unsatisfiable
        /// 304: the client has it already.
        case notModified
        /// 412: the client wanted another version.
        case preconditionFailed
    }

    let byteCount: Int64
    /// With its quotes, and with `W/` before a weak one.
    let entityTag: String
    /// In seconds since 1970.
    let modified: Int64

    /// What a request selects, in the order of RFC 9110 section 13.2.2.
    ///
    /// - Parameters:
    ///   - method: GET or HEAD.
    ///   - now: The time of day in seconds since 1970; dates with years of two digits depend on it.
    ///   - values: The values of the request's fields of a name.
    /// - Returns: What is sent.
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
        // Section 14.2: only GET knows ranges.
        guard method == "GET", self.allowsRange(values("if-range")) else { return .whole }
        switch ByteRange(values("range"), length: self.byteCount) {
        case .whole: return .whole
        case .part(let range): return .part(range)
        case .unsatisfiable: return .unsatisfiable
        }
    }

    /// The fields that say what was selected.
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

    /// RFC 9110 section 13.1.5: If-Range takes a strong tag or the exact date; anything else means the whole.
    private func allowsRange(_ condition: [String]) -> Bool {
        guard let validator = condition.first else { return true }
        guard condition.count == 1, !self.isWeak else { return false }
        return validator == self.entityTag || validator == HTTPDate.text(self.modified)
    }

    private var isWeak: Bool { self.entityTag.utf8.starts(with: "W/".utf8) }

    /// A date that is none, or one of several, is ignored.
    private static func date(_ values: [String], _ now: Int64) -> Int64? {
        values.count == 1 ? HTTPDate.seconds(values[0], now: now) : nil
    }
}

extension SelectedRepresentation.Selection {
    /// The status of a response to it.
    var status: Int {
        switch self {
        case .whole: 200
        case .part: 206
        case .unsatisfiable: 416
        case .notModified: 304
        case .preconditionFailed: 412
        }
    }

    /// The bytes of the body.
    ///
    /// - Parameter byteCount: The number of bytes of the whole.
    /// - Returns: Their positions in it.
    func range(in byteCount: Int64) -> Range<Int64> {
        switch self {
        case .whole: 0..<byteCount
        case .part(let range): range
        case .unsatisfiable, .notModified, .preconditionFailed: 0..<0
        }
    }
}
