// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// The members of a dictionary of structured fields (RFC 9651 section 4.2.2) that are byte sequences.
///
/// Members of other types and all parameters are read and left out. Blanks before a parameter and empty members are
/// accepted, which the strict grammar refuses.
struct ByteSequenceDictionary {
    private struct Malformed: Error {}

    /// The byte sequences by their keys; of several members with one key, the last one counts.
    private(set) var members: [String: Data] = [:]
    private var rest: ArraySlice<UInt8>

    /// Parses the value of a field; nil if any part of it is malformed.
    init?(_ field: String) {
        self.rest = Array(field.utf8)[...]
        do { try self.readMembers() } catch { return nil }
    }

    private mutating func readMembers() throws(Malformed) {
        while true {
            self.skip { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard !self.rest.isEmpty else { return }
            let key = try self.key()
            // Without a value, the member is the Boolean true.
            let bytes = self.take("=") ? try self.value() : nil
            try self.readParameters()
            self.members[key] = bytes
            guard self.rest.isEmpty || self.rest.first == UInt8(ascii: ",") else { throw Malformed() }
        }
    }

    private mutating func key() throws(Malformed) -> String {
        let key = self.rest.prefix(while: \.isKeyByte)
        guard let first = key.first, first == UInt8(ascii: "*") || first.isLowercaseLetter else { throw Malformed() }
        self.rest = self.rest.dropFirst(key.count)
        return String(decoding: key, as: UTF8.self)
    }

    /// Reads parameters, and the blanks around them.
    private mutating func readParameters() throws(Malformed) {
        while true {
            self.skip(\.isBlank)
            guard self.take(";") else { return }
            self.skip(\.isBlank)
            _ = try self.key()
            if self.take("=") { _ = try self.item() }
        }
    }

    /// Reads an item or an inner list; nil if it is no byte sequence.
    private mutating func value() throws(Malformed) -> Data? {
        guard self.take("(") else { return try self.item() }
        while true {
            self.skip(\.isBlank)
            if self.take(")") { return nil }
            _ = try self.item()
            try self.readParameters()
        }
    }

    /// Reads an item without its parameters; nil if it is no byte sequence.
    private mutating func item() throws(Malformed) -> Data? {
        if self.take(":") { return try self.byteSequence() }
        // A date and a display string begin with a mark, and continue as a number and a string.
        if self.take("\"") || self.take("%\"") {
            try self.readString()
            return nil
        }
        let word = self.rest.prefix { $0.isTokenByte || ":/@?".utf8.contains($0) }
        guard !word.isEmpty else { throw Malformed() }
        self.rest = self.rest.dropFirst(word.count)
        return nil
    }

    private mutating func readString() throws(Malformed) {
        while let byte = self.rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\"), self.rest.popFirst() == nil { break }
        }
        throw Malformed()
    }

    private mutating func byteSequence() throws(Malformed) -> Data {
        guard let end = self.rest.firstIndex(of: UInt8(ascii: ":")) else { throw Malformed() }
        var encoded = self.rest[..<end]
        self.rest = self.rest[(end + 1)...]
        // RFC 9651 section 4.2.7: a parser should not require the padding.
        while encoded.last == UInt8(ascii: "=") { encoded.removeLast() }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - encoded.count % 4) % 4)
        guard let bytes = Data(base64Encoded: Data(encoded + padding)) else { throw Malformed() }
        return bytes
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { self.rest = self.rest.drop(while: isSkipped) }

    /// Removes a text from the beginning; false if it is not there.
    private mutating func take(_ text: StaticString) -> Bool {
        let isThere = text.withUTF8Buffer { self.rest.starts(with: $0) }
        if isThere { self.rest = self.rest.dropFirst(text.utf8CodeUnitCount) }
        return isThere
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }

    /// RFC 9651 section 3.1.2: lower case letters, digits, and `_-.*`.
    fileprivate var isKeyByte: Bool {
        self.isLowercaseLetter || self.isASCIIDigit || "_-.*".utf8.contains(self)
    }
}
