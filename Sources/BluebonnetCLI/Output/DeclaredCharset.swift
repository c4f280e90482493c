// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// The charset that a document declares in its first bytes, if its Content-Type declares none.
///
/// XML: the byte order mark, then the declaration (RFC 7303 section 3). HTML: the byte order mark, then a `<meta>`
/// element in the first 1024 bytes.
enum DeclaredCharset {
    /// The number of bytes that are examined.
    private static let longestStart = 1024

    /// Determines the charset.
    ///
    /// - Parameters:
    ///   - start: The first bytes.
    ///   - kind: The kind of document.
    ///   - isWhole: Whether the document ends after these bytes.
    /// - Returns: The charset, UTF-8 by default; nil if more bytes are needed.
    static func charset(of start: [UInt8], _ kind: BodyContent.Kind, isWhole: Bool) -> Charset? {
        let mayGrow = !isWhole && start.count < Self.longestStart
        if mayGrow, start.count < 4 { return nil }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return .utf16 }
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if kind == .xml {
            if start.starts(with: [0x3C, 0]) { return .utf16LittleEndian }
            if start.starts(with: [0, 0x3C]) { return .utf16BigEndian }
        }
        let text = start.prefix(Self.longestStart).map(\.asciiLowercased)[...]
        let name = kind == .xml ? Self.nameInXML(text, mayGrow) : Self.nameInHTML(text, mayGrow)
        guard let name else { return nil }
        switch Charset(named: name) {
        // The declaration has been read as ASCII.
        case nil, .ascii?, .utf16?, .utf16BigEndian?, .utf16LittleEndian?, .utf32?, .utf32BigEndian?,
            .utf32LittleEndian?:
            return .utf8
        // In HTML, that name means windows-1252 (WHATWG Encoding section 4.2).
        case .iso8859Part1? where kind == .html: return .windows1252
        case let charset?: return charset
        }
    }

    /// Returns the name in `<?xml … encoding="name"?>`; empty if there is none, nil if more bytes are needed.
    private static func nameInXML(_ text: ArraySlice<UInt8>, _ mayGrow: Bool) -> String? {
        let mark = "<?xml".utf8
        guard text.starts(with: mark) else { return mayGrow && mark.starts(with: text) ? nil : "" }
        guard let end = text.firstIndex(of: UInt8(ascii: ">")) else { return mayGrow ? nil : "" }
        return Self.value(of: "encoding", in: text[..<end]) ?? ""
    }

    /// Returns the name in `<meta charset=name>`; empty if there is none, nil if more bytes are needed.
    private static func nameInHTML(_ text: ArraySlice<UInt8>, _ mayGrow: Bool) -> String? {
        // A fragment, such as a server may send piece by piece, is printed without waiting for more.
        let first = text.drop(while: Self.isSpace)
        let isDocument = ["<!", "<html", "<head", "<meta"].map(\.utf8).contains {
            first.starts(with: $0) || mayGrow && $0.starts(with: first)
        }
        guard isDocument else { return "" }
        var rest = text
        while let start = rest.firstRange(of: Array("<meta".utf8)) {
            rest = rest[start.upperBound...]
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { break }
            if let name = Self.value(of: "charset", in: rest[..<end]) { return name }
        }
        return mayGrow ? nil : ""
    }

    /// Returns the value of `key = "value"`, with or without quotes.
    private static func value(of key: String, in text: ArraySlice<UInt8>) -> String? {
        guard let place = text.firstRange(of: Array(key.utf8)) else { return nil }
        var rest = text[place.upperBound...].drop(while: Self.isSpace)
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop { Self.isSpace($0) || "\"'".utf8.contains($0) }
        return String(decoding: rest.prefix { !Self.isSpace($0) && !"\"';/?>".utf8.contains($0) }, as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
