// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A content type: type, subtype and the charset parameter (RFC 9110 section 8.3).
struct ContentType: Sendable, Hashable {
    /// `type/subtype` in lower case, without parameters.
    var essence: String

    /// The value of the `charset` parameter, without quotation marks; nil if there is none.
    var charset: String?

    /// Parses a field value; nil if it is not a single content type.
    ///
    /// - Parameter field: The value, for example `text/html; charset="utf-8"`.
    init?(_ field: String) {
        var reader = ContentTypeReader(field)
        guard let type = reader.readToken(), reader.skip(UInt8(ascii: "/")), let subtype = reader.readToken() else {
            return nil
        }
        self.essence = "\(type)/\(subtype)".asciiLowercased
        while reader.skipSeparator() {
            guard let parameter = reader.readParameter() else { continue }
            if self.charset == nil, parameter.name.isASCIIWord("charset") { self.charset = parameter.value }
        }
        guard reader.isAtEnd else { return nil }
    }

    /// Whether this type matches a pattern: the same type, `type/*`, `*/*`, `type/*+suffix` or `*+suffix`.
    ///
    /// The pattern's parameters and case are ignored.
    func matches(_ pattern: String) -> Bool {
        let isSuffix = pattern.utf8.starts(with: "*+".utf8)
        guard let pattern = ContentType(isSuffix ? "*/\(pattern)" : pattern)?.essence else { return false }
        let (ours, theirs) = (
            self.essence.utf8.split(separator: UInt8(ascii: "/")), pattern.utf8.split(separator: UInt8(ascii: "/"))
        )
        guard ours.count == 2, theirs.count == 2 else { return false }
        return Self.half(ours[0], matches: theirs[0]) && Self.half(ours[1], matches: theirs[1])
    }

    private static func half(_ half: Substring.UTF8View, matches pattern: Substring.UTF8View) -> Bool {
        guard pattern.first == UInt8(ascii: "*") else { return half.elementsEqual(pattern) }
        let suffix = pattern.dropFirst()
        return suffix.isEmpty || (half.count > suffix.count && half.suffix(suffix.count).elementsEqual(suffix))
    }
}
