// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A parsed request target: decoded path segments and query items.
struct ReceivedTarget: Sendable {
    /// The path as sent, without the query.
    let path: String
    /// The query as sent, without the question mark; nil if there is none.
    let rawQuery: String?

    init(_ target: String) {
        // RFC 9112 section 3.2.2: a target may be in absolute form; only what follows the authority is used.
        var bytes = target.utf8[...]
        for scheme in ["http://", "https://"] where target.asciiLowercased.utf8.starts(with: scheme.utf8) {
            bytes = bytes.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            break
        }
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        self.path = String(Substring(path))
        self.rawQuery = path.endIndex < bytes.endIndex ? String(Substring(bytes[path.endIndex...].dropFirst())) : nil
    }

    /// The decoded path segments, without empty ones.
    var segments: [String] {
        self.path.utf8.split(separator: UInt8(ascii: "/")).map { Self.decode(Substring($0), plusIsSpace: false) }
    }

    /// The decoded query items in order; an item without `=` has an empty value.
    var query: [(name: String, value: String)] {
        var scanner = FormScanner()
        scanner.receive(Array((self.rawQuery ?? "").utf8))
        return scanner.finish()
    }

    /// The value of the first query item with this name.
    subscript(name: String) -> String? {
        self.query.first { $0.name == name }?.value
    }

    /// Decodes percent-encoding; a percent sign without two hexadecimal digits is unchanged.
    static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
        String(decoding: PercentDecoding.decodeLeniently(Array(text.utf8), plusIsSpace: plusIsSpace), as: UTF8.self)
    }
}
