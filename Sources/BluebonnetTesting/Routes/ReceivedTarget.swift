// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A request target, parsed: path segments and query items, decoded.
struct ReceivedTarget: Sendable {
    /// The path as sent, without the query.
    let path: String
    /// The query as sent, without the question mark; nil if there is none.
    let rawQuery: String?

    init(_ target: String) {
        // RFC 9112 section 3.2.2: a target may be a whole URL; only what follows the authority is of interest.
        var target = Substring(target)
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            let rest = target.dropFirst(scheme.count)
            target = rest.firstIndex(where: { $0 == "/" || $0 == "?" }).map { rest[$0...] } ?? ""
            break
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.path = parts.first.map(String.init) ?? ""
        self.rawQuery = parts.count > 1 ? String(parts[1]) : nil
    }

    /// The parts of the path between slashes, decoded; empty ones are left out.
    var segments: [String] {
        self.path.split(separator: "/").map { Self.decode($0, plusIsSpace: false) }
    }

    /// The query items in their order, decoded; an item without `=` has an empty value.
    var query: [(name: String, value: String)] {
        var scanner = FormScanner(limit: 10_000)
        scanner.receive(Array((self.rawQuery ?? "").utf8))
        return scanner.finish()
    }

    /// The value of the first query item of a name.
    subscript(name: String) -> String? {
        self.query.first { $0.name == name }?.value
    }

    /// Decodes percent-encoding; a percent sign without two hexadecimal digits stays as it is.
    static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
        String(decoding: self.decode(Array(text.utf8), plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// Decodes percent-encoding of bytes.
    static func decode(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = self.digit(bytes[index + 1]), let low = self.digit(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
                continue
            }
            decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            index += 1
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
