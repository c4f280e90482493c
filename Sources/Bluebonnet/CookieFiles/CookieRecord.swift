// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// A change to a cookie, as one line of a ``FileCookieStore``'s file.
///
/// Fields are separated by tabs: a checksum of the rest of the line, `+` or `-`, domain, path, letters for the
/// properties, the creation time and the expiry time in milliseconds since 1970, name, value. Every byte outside
/// visible ASCII, and the percent sign, is percent-encoded.
enum CookieRecord {
    /// Encodes a change as a line.
    static func line(_ change: CookieChange) -> [UInt8] {
        let cookie = change.cookie
        let isSet = if case .set = change { true } else { false }
        let fields: [[UInt8]] = [
            Array((isSet ? "+" : "-").utf8),
            self.encoded(cookie.domain.utf8),
            self.encoded(cookie.path.utf8),
            Array(self.letters(cookie).utf8),
            Array(String(self.milliseconds(cookie.created)).utf8),
            Array(String(self.milliseconds(cookie.expires ?? .distantPast)).utf8),
            self.encoded(cookie.nameBytes),
            self.encoded(cookie.valueBytes),
        ]
        let text = Array(fields.joined(separator: [UInt8(ascii: "\t")]))
        return self.checksum(text[...]) + [UInt8(ascii: "\t")] + text + [UInt8(ascii: "\n")]
    }

    /// Parses a line, without its line break.
    ///
    /// - Returns: The change; nil for a line that was not written completely, or that was altered.
    static func change(_ line: ArraySlice<UInt8>) -> CookieChange? {
        let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].elementsEqual(self.checksum(parts[1])) else { return nil }
        let fields = parts[1].split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count == 8, let created = self.date(fields[4]), let expires = self.date(fields[5]) else {
            return nil
        }
        let letters = fields[3]
        let identity = Cookie.Identity(
            name: self.decoded(fields[6]),
            domain: String(decoding: self.decoded(fields[1]), as: UTF8.self),
            isHostOnly: letters.contains(UInt8(ascii: "o")),
            path: String(decoding: self.decoded(fields[2]), as: UTF8.self)
        )
        let cookie = Cookie(
            identity,
            self.decoded(fields[7]),
            created: created,
            expires: expires,
            isSecure: letters.contains(UInt8(ascii: "s")),
            isHTTPOnly: letters.contains(UInt8(ascii: "h")),
            sameSite: self.sameSites.first { letters.contains($0.letter) }?.value ?? .unspecified
        )
        // Only valid cookies are sent, whoever wrote the file.
        guard (try? cookie.check()) != nil else { return nil }
        return fields[0].elementsEqual("+".utf8) ? .set(cookie) : .removed(cookie)
    }

    private static let sameSites: [(letter: UInt8, value: Cookie.SameSite)] = [
        (UInt8(ascii: "S"), .strict), (UInt8(ascii: "L"), .lax), (UInt8(ascii: "N"), .none),
    ]

    private static func letters(_ cookie: Cookie) -> String {
        let sameSite = self.sameSites.first { $0.value == cookie.sameSite }.map { String(UnicodeScalar($0.letter)) }
        return "c" + (cookie.isHostOnly ? "o" : "") + (cookie.isSecure ? "s" : "") + (cookie.isHTTPOnly ? "h" : "")
            + (sameSite ?? "")
    }

    // MARK: Numbers

    /// Dates outside ±100,000 years become the nearest inside, so that no conversion traps.
    private static let largest = 3_155_760_000_000_000.0

    private static func milliseconds(_ date: Date) -> Int64 {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard !milliseconds.isNaN else { return 0 }
        return Int64(max(-self.largest, min(self.largest, milliseconds)))
    }

    private static func date(_ text: ArraySlice<UInt8>) -> Date? {
        guard let value = Int64(String(decoding: text, as: UTF8.self)), abs(Double(value)) <= self.largest else {
            return nil
        }
        return Date(timeIntervalSince1970: Double(value) / 1000)
    }

    /// FNV-1a of 64 bits in hexadecimal: it only detects a line that was cut or overwritten.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Array(Hexadecimal.text(hash).utf8)
    }

    // MARK: Percent encoding

    private static func encoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        for byte in bytes {
            if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
                output.append(byte)
            } else {
                output.append(tripletOf: byte)
            }
        }
        return output
    }

    /// This type encoded the line, as its checksum shows, so every percent sign has two digits; any other is kept.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        PercentDecoding.decodeLeniently(Array(bytes))
    }
}
