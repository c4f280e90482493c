// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A way of writing text as bytes, as named in the `charset` parameter of a content type.
public enum Charset: Sendable, Hashable, Codable, CaseIterable {
    /// UTF-8; a byte order mark is skipped.
    case utf8
    /// UTF-16 in the order its byte order mark says, big-endian without one (RFC 2781 section 4.3).
    case utf16
    /// UTF-16 with the high byte first.
    case utf16BigEndian
    /// UTF-16 with the low byte first.
    case utf16LittleEndian
    /// UTF-32 in the order its byte order mark says, big-endian without one.
    case utf32
    /// UTF-32 with the high byte first.
    case utf32BigEndian
    /// UTF-32 with the low byte first.
    case utf32LittleEndian
    /// ASCII: bytes from 0x80 on are an error.
    case ascii
    /// ISO-8859-1: every byte is the scalar of that number.
    case iso8859Part1
    /// Windows-1252; the five bytes it leaves open are the control characters of those numbers, as in browsers.
    case windows1252

    /// Finds a charset by one of its registered names, without regard to case; nil for names that are not known.
    ///
    /// - Parameter name: The name, for example `utf-8` or `latin1`.
    public init?(named name: String) {
        guard let charset = Self.names[name.lowercased()] else { return nil }
        self = charset
    }

    /// The preferred name, for example `UTF-8`.
    public var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .utf16: "UTF-16"
        case .utf16BigEndian: "UTF-16BE"
        case .utf16LittleEndian: "UTF-16LE"
        case .utf32: "UTF-32"
        case .utf32BigEndian: "UTF-32BE"
        case .utf32LittleEndian: "UTF-32LE"
        case .ascii: "US-ASCII"
        case .iso8859Part1: "ISO-8859-1"
        case .windows1252: "windows-1252"
        }
    }

    private static let names: [String: Charset] = [
        "utf-8": .utf8, "utf8": .utf8, "unicode-1-1-utf-8": .utf8,
        "utf-16": .utf16, "utf16": .utf16, "unicode": .utf16, "iso-10646-ucs-2": .utf16,
        "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf-32": .utf32, "utf32": .utf32, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
        "us-ascii": .ascii, "ascii": .ascii, "ansi_x3.4-1968": .ascii, "iso-ir-6": .ascii, "iso646-us": .ascii,
        "iso-8859-1": .iso8859Part1, "iso_8859-1": .iso8859Part1, "iso8859-1": .iso8859Part1, "iso88591": .iso8859Part1,
        "latin1": .iso8859Part1, "latin-1": .iso8859Part1, "l1": .iso8859Part1, "iso-ir-100": .iso8859Part1,
        "cp819": .iso8859Part1, "ibm819": .iso8859Part1,
        "windows-1252": .windows1252, "cp1252": .windows1252, "cp-1252": .windows1252, "x-cp1252": .windows1252,
    ]

    /// Turns bytes into text; nil if the bytes are not valid in this charset, for nothing is repaired.
    ///
    /// - Parameter data: The bytes.
    /// - Returns: The text.
    public func decode(_ data: Data) -> String? { data.withUnsafeBytes { self.decode($0) } }
}
