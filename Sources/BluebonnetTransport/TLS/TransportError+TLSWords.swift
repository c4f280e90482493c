// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TransportError {
    /// What the TLS library says of a failure, without its inner places and numbers.
    ///
    /// - Parameter text: The description of its error; the reason in it looks like `OPENSSL_internal:WRONG_VERSION_NUMBER at …`.
    /// - Returns: One sentence.
    static func words(ofTLS text: String) -> String {
        let mark = "OPENSSL_internal:"
        guard let range = text.firstRange(of: mark) else { return "TLS failed: \(text)" }
        let name = text[range.upperBound...].prefix { $0 == "_" || $0.isLetter || $0.isNumber }
        switch name {
        case "": return "TLS failed"
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_MESSAGE":
            return "the peer does not speak TLS: what it sent is something else"
        default: return "TLS failed: " + name.lowercased().split(separator: "_").joined(separator: " ")
        }
    }
}
