// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

extension TransportError {
    /// Returns the TLS library's description of a failure, without its source locations and numbers.
    ///
    /// - Parameter text: The description of its error; the reason in it looks like
    ///   `OPENSSL_internal:WRONG_VERSION_NUMBER at …`.
    /// - Returns: One sentence.
    static func words(ofTLS text: String) -> String {
        let mark = "OPENSSL_internal:"
        guard let range = text.firstRange(of: mark) else { return "TLS failed: \(text)" }
        let name = Substring(text[range.upperBound...].utf8.prefix(while: Self.isPartOfName))
        if let range = name.firstRange(of: "_ALERT_") { return Self.words(ofAlert: String(name[range.upperBound...])) }
        switch name {
        case "": return "TLS failed"
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_MESSAGE":
            return "the server does not speak TLS: what it sent is something else"
        case "UNSUPPORTED_PROTOCOL":
            return "the server speaks no version of TLS that is allowed here"
        case "INVALID_ALPN_PROTOCOL":
            return "the server speaks none of the protocols that were offered, and selected another one"
        case "NO_RENEGOTIATION":
            return "the server asks for a client certificate or new keys after the handshake (TLS renegotiation), "
                + "which is not supported"
        default: return "TLS failed: \(Self.sentence(name))"
        }
    }

    /// Returns the meaning of an alert from the peer (RFC 8446 section 6.2).
    private static func words(ofAlert name: String) -> String {
        switch name {
        case "CERTIFICATE_REQUIRED", "NO_CERTIFICATE":
            "the server demands a client certificate, and none was shown"
        case "BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE", "CERTIFICATE_REVOKED", "CERTIFICATE_EXPIRED",
            "CERTIFICATE_UNKNOWN", "UNKNOWN_CA", "ACCESS_DENIED":
            "the server refuses the client certificate (\(Self.sentence(name)))"
        case "HANDSHAKE_FAILURE":
            "the server refuses the handshake: no cipher suite or signature algorithm in common (certificates with "
                + "Ed25519 or P-521 keys are not supported), or it demands a client certificate"
        case "DECRYPT_ERROR":
            "the server cannot verify a signature, of the client certificate or of the handshake"
        case "PROTOCOL_VERSION": "the server speaks no version of TLS that is allowed here"
        case "UNRECOGNIZED_NAME": "the server knows no host of this name"
        case "NO_APPLICATION_PROTOCOL": "the server speaks none of the protocols that were offered"
        default: "the server has ended TLS with an alert: \(Self.sentence(name))"
        }
    }

    private static func sentence(_ name: some StringProtocol) -> String {
        let spaced = name.utf8.map { $0 == UInt8(ascii: "_") ? 0x20 : $0.asciiLowercased }
        return String(decoding: spaced, as: UTF8.self)
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte.isASCIIAlphanumeric
    }
}
