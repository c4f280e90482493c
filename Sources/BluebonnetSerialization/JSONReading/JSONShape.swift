// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Checks a JSON document against the limits of depth and elements before Foundation's decoder reads it, and its objects
/// for repeated names.
///
/// It reads only brackets, commas and names, and leaves the syntax to the decoder. A document that is too deep or too large
/// for the strict parser is refused here too, in a fraction of the time of decoding.
///
/// Of JSON5 it compares only the names in quotation marks.
struct JSONShape {
    private let bytes: UnsafeRawBufferPointer
    private let allowsJSON5: Bool
    private var position = 0
    /// The position of the last string that may be a name; -1 for none.
    private var name = -1
    private var names: JSONNameScan
    private var hasTrailingComma = false

    /// Counts levels and values, and compares names.
    ///
    /// - Parameters:
    ///   - bytes: The document in UTF-8.
    ///   - limits: The limits beyond which it is refused.
    ///   - allowsJSON5: Whether the decoder reads JSON5, which has comments and strings in apostrophes.
    /// - Returns: Whether the names of every object are distinct, also in their canonical forms, and no comma is before
    ///   the end of a container, which Foundation's decoder allows and RFC 8259 does not.
    /// - Throws: `tooDeep` or `tooManyElements`.
    static func check(
        _ bytes: UnsafeRawBufferPointer,
        limits: ParsingLimits,
        allowsJSON5: Bool = false
    ) throws(JSONFault) -> Bool {
        var shape = JSONShape(bytes: bytes, allowsJSON5: allowsJSON5)
        try shape.check(depthLimit: limits.effectiveDepth, elementLimit: limits.elementCount)
        return !shape.names.hasRepeatedName && !shape.hasTrailingComma
    }

    private init(bytes: UnsafeRawBufferPointer, allowsJSON5: Bool) {
        self.bytes = bytes
        self.allowsJSON5 = allowsJSON5
        self.names = JSONNameScan(bytes)
    }

    private mutating func check(depthLimit: Int, elementLimit: Int) throws(JSONFault) {
        var depth = 0
        // The document itself is one value; every comma adds one, and so does every container that is not empty.
        var count = 1
        var isAfterOpening = false
        while self.position < self.bytes.count {
            let byte = self.bytes[self.position]
            self.position &+= 1
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                guard depth < depthLimit else { throw self.fault(.tooDeep(limit: depthLimit)) }
                depth &+= 1
                count &+= 1
                self.names.open()
                isAfterOpening = true
                continue
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth &-= 1
                self.names.close()
                if isAfterOpening { count &-= 1 }
            case UInt8(ascii: ","):
                count &+= 1
                // A string before a comma is a value: the next name may have no quotation marks.
                self.name = -1
                if !self.allowsJSON5, self.isBeforeEndOfContainer() { self.hasTrailingComma = true }
            case UInt8(ascii: "\""):
                self.name = self.position
                self.skipString()
            case UInt8(ascii: "'") where self.allowsJSON5: self.skipApostrophes()
            case UInt8(ascii: "/") where self.allowsJSON5:
                self.skipComment()
                continue
            case UInt8(ascii: ":"):
                // Once for each string, so that a malformed document takes linear time, too.
                if self.name >= 0 { self.names.add(at: self.name) }
                self.name = -1
            case 0x20, 0x0A, 0x0D, 0x09: continue
            default: break
            }
            isAfterOpening = false
            guard count <= elementLimit else { throw self.fault(.tooManyElements(limit: elementLimit)) }
        }
    }

    /// Advances past white space.
    ///
    /// - Returns: Whether a container ends behind it.
    private mutating func isBeforeEndOfContainer() -> Bool {
        while self.position < self.bytes.count {
            switch self.bytes[self.position] {
            case 0x20, 0x0A, 0x0D, 0x09: self.position &+= 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): return true
            default: return false
            }
        }
        return false
    }

    /// Advances past the closing quotation mark, or to the end.
    private mutating func skipString() {
        while self.position < self.bytes.count {
            while self.position &+ 8 <= self.bytes.count {
                let word = UInt64(
                    littleEndian: self.bytes.loadUnaligned(fromByteOffset: self.position, as: UInt64.self)
                )
                let stops = JSONText.stops(in: word)
                self.position &+= stops == 0 ? 8 : stops.trailingZeroBitCount &>> 3
                if stops != 0 { break }
            }
            guard self.position < self.bytes.count else { return }
            let byte = self.bytes[self.position]
            self.position &+= byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return }
        }
    }

    /// Advances past the closing apostrophe of a string of JSON5, or to the end.
    private mutating func skipApostrophes() {
        while self.position < self.bytes.count {
            let byte = self.bytes[self.position]
            self.position &+= byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "'") { return }
        }
    }

    /// Advances past a comment of JSON5, behind its first byte.
    private mutating func skipComment() {
        guard self.position < self.bytes.count else { return }
        switch self.bytes[self.position] {
        case UInt8(ascii: "/"):
            while self.position < self.bytes.count, ![0x0A, 0x0D].contains(self.bytes[self.position]) {
                self.position &+= 1
            }
        case UInt8(ascii: "*"):
            // The asterisk that opens the comment does not close it.
            self.position &+= 2
            while self.position < self.bytes.count {
                self.position &+= 1
                if self.bytes[self.position &- 2] == UInt8(ascii: "*"),
                    self.bytes[self.position &- 1] == UInt8(ascii: "/")
                {
                    return
                }
            }
        default: return
        }
    }

    private func fault(_ kind: JSONFault.Kind) -> JSONFault { JSONFault(kind: kind, position: self.position) }
}
