// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A failure of TLS in words, with its cause for programs.
struct TLSFault {
    /// One sentence, without the source locations and numbers of the TLS library.
    let reason: String

    /// The cause; nil if the reason alone says it.
    let cause: TransportError.Cause?

    private init(_ reason: String, _ cause: TransportError.Cause? = nil) {
        self.reason = reason
        self.cause = cause
    }

    /// Reads the TLS library's description of an error.
    ///
    /// - Parameter text: The description; the reason in it looks like `OPENSSL_internal:WRONG_VERSION_NUMBER at …`.
    init(reading text: String) {
        let mark = "OPENSSL_internal:"
        guard let range = text.firstRange(of: mark) else {
            self.init("TLS failed: \(text)")
            return
        }
        let name = Substring(text[range.upperBound...].utf8.prefix(while: Self.isPartOfName))
        if let range = name.firstRange(of: "_ALERT_") {
            self.init(alert: String(name[range.upperBound...]))
            return
        }
        switch name {
        case "": self.init("TLS failed")
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_MESSAGE":
            self.init("the server does not speak TLS: what it sent is something else", .notTLS)
        case "UNSUPPORTED_PROTOCOL": self.init("the server speaks no version of TLS that is allowed here")
        case "INVALID_ALPN_PROTOCOL":
            self.init("the server speaks none of the protocols that were offered, and selected another one")
        case "NO_RENEGOTIATION":
            self.init(
                "the server asks for a client certificate or new keys after the handshake (TLS renegotiation), "
                    + "which is not supported"
            )
        default: self.init("TLS failed: \(Self.sentence(name))")
        }
    }

    /// Reads the name of an alert from the peer (RFC 8446 section 6.2).
    private init(alert name: String) {
        switch name {
        case "CERTIFICATE_REQUIRED", "NO_CERTIFICATE":
            self.init("the server demands a client certificate, and none was shown", .clientCertificateMissing)
        case "BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE", "CERTIFICATE_REVOKED", "CERTIFICATE_EXPIRED",
            "CERTIFICATE_UNKNOWN", "UNKNOWN_CA", "ACCESS_DENIED":
            self.init(
                "the server refuses the client certificate (\(Self.sentence(name)))",
                .clientCertificateRefused
            )
        case "HANDSHAKE_FAILURE":
            self.init(
                "the server refuses the handshake: no cipher suite or signature algorithm in common (certificates with "
                    + "Ed25519 or P-521 keys are not supported), or it demands a client certificate",
                .handshakeRefused
            )
        case "DECRYPT_ERROR":
            self.init("the server cannot verify a signature, of the client certificate or of the handshake")
        case "PROTOCOL_VERSION": self.init("the server speaks no version of TLS that is allowed here")
        case "UNRECOGNIZED_NAME": self.init("the server knows no host of this name")
        case "NO_APPLICATION_PROTOCOL": self.init("the server speaks none of the protocols that were offered")
        default: self.init("the server has ended TLS with an alert: \(Self.sentence(name))")
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
