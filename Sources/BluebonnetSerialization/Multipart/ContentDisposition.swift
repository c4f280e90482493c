// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Encodes the Content-Disposition of form parts (RFC 7578 section 4.2).
enum ContentDisposition {
    /// Returns the field value.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - filename: The name of the file; nil for a plain field.
    ///   - addsExtendedFilename: Whether a non-ASCII name is repeated as `filename*` (RFC 8187).
    /// - Returns: The value, as UTF-8 text without line breaks.
    static func formData(name: String, filename: String?, addsExtendedFilename: Bool) -> String {
        var value = "form-data; name=\"\(Self.escape(name))\""
        guard let filename else { return value }
        value += "; filename=\"\(Self.escape(filename))\""
        if addsExtendedFilename, !filename.utf8.allSatisfy({ $0 < 0x80 }) {
            value += "; filename*=UTF-8''\(PercentEncoding.escape(filename, allowed: Self.attributeBytes))"
        }
        return value
    }

    /// Escapes the bytes that would end the quoted string or the line, as browsers do (HTML, multipart/form-data
    /// encoding algorithm), and NUL.
    private static func escape(_ text: String) -> String {
        let needsEscape = text.utf8.contains { $0 == 0x22 || $0 == 0x0D || $0 == 0x0A || $0 == 0 }
        guard needsEscape else { return text }
        var output = ByteBuilder(capacity: text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case 0x22: output.append("%22")
            case 0x0D: output.append("%0D")
            case 0x0A: output.append("%0A")
            case 0: output.append("%00")
            default: output.append(byte)
            }
        }
        return output.makeString()
    }

    /// `attr-char` of RFC 8187 section 3.2.1.
    private static let attributeBytes = PercentEncoding.AllowedBytes(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~"
    )
}
