// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The line that separates the parts of a multipart body (RFC 2046 section 5.1.1).
enum Boundary {
    /// 64 characters that need no quotation marks in a header field and are legal in a boundary.
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Makes a boundary of 25 bytes: `Boundary+` and sixteen letters, 96 bits from the system's random generator.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        var letters: [UInt8] = []
        letters.reserveCapacity(16)
        for _ in 0..<2 {
            var bits = generator.next()
            for _ in 0..<8 {
                letters.append(self.alphabet[Int(bits & 63)])
                bits >>= 6
            }
        }
        return "Boundary+" + String(decoding: letters, as: UTF8.self)
    }

    /// Whether a text is a valid boundary: 1 to 70 of the legal bytes, and no space at the end.
    static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...70).contains(bytes.count), bytes.last != UInt8(ascii: " ") else { return false }
        return bytes.allSatisfy { $0.isASCIIAlphanumeric || "'()+_,-./:=? ".utf8.contains($0) }
    }

    /// Returns the boundary as a Content-Type parameter value: quoted unless it is a token (RFC 9110 section 5.6.6).
    static func parameterValue(_ text: String) -> String {
        let isToken = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "'+_-.".utf8.contains($0) }
        return isToken ? text : "\"\(text)\""
    }
}
