// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The names whose values are secret.
extension Redaction {
    /// Whether the value of a form field is hidden, if the other fields are unknown.
    ///
    /// - Parameter name: The name of the field.
    /// - Returns: Whether it is hidden.
    package func hidesFormField(_ name: String) -> Bool {
        guard self.isActive else { return false }
        let letters = Self.letters(of: name)
        return Self.isSecret(letters) || Self.isSecretInForm(letters, isOAuth: false)
    }

    /// Whether a name that says that its value is secret occurs in the bytes of a document that cannot be parsed.
    ///
    /// - Parameters:
    ///   - bytes: The document, in ASCII, UTF-8, UTF-16 or UTF-32.
    ///   - isOpaque: Whether the bytes are arbitrary, so that a name of three letters may occur by chance.
    ///   - isForm: Whether the names are those of a form; no unless given.
    /// - Returns: Whether it does.
    package func isSecretNamed(in bytes: some Sequence<UInt8>, isOpaque: Bool, isForm: Bool = false) -> Bool {
        guard self.isActive else { return false }
        // In UTF-16, NUL is the other half of an ASCII letter.
        let letters = bytes.lazy.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") && $0 != 0 }
            .map { $0.asciiLowercased }
        let text = Array(letters)
        if Self.words.contains(where: { (!isOpaque || $0.utf8.count > 3) && text.firstRange(of: $0.utf8) != nil }) {
            return true
        }
        if isOpaque { return false }
        let names = text.split { !(0x61...0x7A).contains($0) }
        if names.contains(where: { Self.isSecret(Array($0)) }) { return true }
        guard isForm else { return false }
        let isOAuth = names.contains { Self.isOfOAuth(Array($0)) }
        return names.contains { Self.isSecretInForm(Array($0), isOAuth: isOAuth) }
    }

    /// Returns the significant letters of a name.
    static func letters(of name: String) -> [UInt8] {
        // Characters: a letter outside ASCII that is lowered to one inside hides more, not less.
        name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
    }

    static func isSecret(_ letters: [UInt8]) -> Bool {
        Self.words.contains { letters.firstRange(of: $0.utf8) != nil } || letters.suffix(3).elementsEqual("pwd".utf8)
            || Self.names.contains { letters.elementsEqual($0.utf8) }
    }

    /// Whether a number with this name is a count, such as that of the tokens of a language model.
    static func isCount(_ letters: [UInt8]) -> Bool {
        ["tokens", "count"].contains { letters.ends(with: $0.utf8) }
    }

    /// Whether a key of a JSON object is a name, and not an identifier or another secret.
    static func isOrdinary(key: String) -> Bool {
        key.utf8.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    /// Whether the name is secret in queries and forms, although it is common in documents.
    static func isSecretInForm(_ letters: [UInt8], isOAuth: Bool) -> Bool {
        Self.formNames.contains { letters.elementsEqual($0.utf8) }
            // RFC 6749 sections 4.1.2 and 4.1.3.
            || isOAuth && letters.elementsEqual("code".utf8)
    }

    /// Whether it is a parameter that accompanies an authorization code.
    static func isOfOAuth(_ letters: [UInt8]) -> Bool {
        Self.oauthNames.contains { letters.elementsEqual($0.utf8) }
    }

    private static let words = [
        "authorization", "token", "secret", "password", "passwd", "passphrase", "cookie", "credential", "signature",
        "session", "apikey", "privatekey", "subscriptionkey", "jwt",
    ]

    private static let names = [
        "assertion", "clientassertion", "samlresponse", "codeverifier", "devicecode", "otp", "totp",
    ]

    private static let formNames = ["pin", "pass", "sig"]

    private static let oauthNames = ["state", "granttype", "redirecturi", "clientid", "codeverifier"]
}
