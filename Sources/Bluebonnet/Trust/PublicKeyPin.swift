// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
import FoundationEssentials

/// The SHA-256 of a public key that a server, or an authority above it, may have: of its certificate's
/// SubjectPublicKeyInfo.
///
/// The key outlives its certificates, so a pin stays valid when a certificate is renewed with the same key.
///
/// ```sh
/// openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
/// ```
///
/// - SeeAlso: RFC 7469 section 2.4.
public struct PublicKeyPin: Sendable, Hashable {
    /// The 32 bytes; empty if the text is invalid.
    let digest: [UInt8]

    /// The invalid text; nil for a valid pin.
    let malformedText: String?

    /// Parses a digest.
    ///
    /// Invalid text causes no error here, so that pins can be literals: every call of a session with it fails with
    /// ``SessionError/Code/invalidConfiguration``.
    ///
    /// - Parameter text: 32 bytes in base64, or in 64 hexadecimal digits; `sha256/` may precede them.
    /// - Returns: The pin.
    public static func sha256(_ text: String) -> PublicKeyPin {
        var digits = text[...]
        for prefix in ["sha256//", "sha256/"] where digits.utf8.starts(with: prefix.utf8) {
            digits = digits[digits.utf8.index(digits.startIndex, offsetBy: prefix.utf8.count)...]
            break
        }
        guard let bytes = Self.hexadecimal(digits) ?? Self.base64(digits) else {
            return PublicKeyPin(digest: [], malformedText: text)
        }
        return PublicKeyPin(digest: bytes, malformedText: nil)
    }

    /// Makes a pin from a digest.
    ///
    /// - Parameter digest: The 32 bytes; any other number makes a pin that fails every call, as in ``sha256(_:)-(String)``.
    /// - Returns: The pin.
    public static func sha256(_ digest: [UInt8]) -> PublicKeyPin {
        digest.count == 32
            ? PublicKeyPin(digest: digest, malformedText: nil)
            : PublicKeyPin(digest: [], malformedText: "\(digest.count) bytes")
    }

    /// Makes the pin of a certificate's key.
    ///
    /// - Parameter certificate: The certificate in DER.
    /// - Throws: ``SessionError/Code/invalidConfiguration`` if it cannot be read.
    public init(certificate: [UInt8]) throws(SessionError) {
        guard let digest = CertificateInspection.publicKeyDigest(of: certificate) else {
            throw SessionError(
                .invalidConfiguration,
                reason: "the certificate whose key is to be pinned cannot be read"
            )
        }
        self.init(digest: digest, malformedText: nil)
    }

    private init(digest: [UInt8], malformedText: String?) {
        (self.digest, self.malformedText) = (digest, malformedText)
    }

    private static func base64(_ text: Substring) -> [UInt8]? {
        guard text.utf8.count == 44, let data = Data(base64Encoded: String(text)), data.count == 32 else { return nil }
        return Array(data)
    }

    private static func hexadecimal(_ text: Substring) -> [UInt8]? {
        text.utf8.count == 64 ? Hexadecimal.bytes(text.utf8) : nil
    }
}

extension PublicKeyPin: CustomStringConvertible {
    /// The form `sha256/…` in base64.
    public var description: String {
        self.malformedText.map { "unreadable pin (\($0))" } ?? "sha256/" + Data(self.digest).base64EncodedString()
    }
}
