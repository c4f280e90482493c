// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A TLS cipher suite, identified by its registered number, for example `TLS_AES_128_GCM_SHA256`.
///
/// - SeeAlso: RFC 8446 section B.4; the IANA registry "TLS Cipher Suites".
public struct CipherSuite: RawRepresentable, Sendable, Hashable {
    /// The registered number.
    public var rawValue: UInt16

    /// Creates a suite.
    ///
    /// - Parameter rawValue: The registered number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

extension CipherSuite: CustomStringConvertible {
    /// The registered name; for a suite that the engine does not offer, the number in hexadecimal.
    public var description: String {
        Self.names[self.rawValue] ?? "0x" + String(self.rawValue, radix: 16)
    }

    fileprivate static let names: [UInt16: String] = [
        0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA",
        0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA",
        0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256",
        0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384",
        0x1301: "TLS_AES_128_GCM_SHA256",
        0x1302: "TLS_AES_256_GCM_SHA384",
        0x1303: "TLS_CHACHA20_POLY1305_SHA256",
        0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
        0xC00A: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
        0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        0xC027: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
        0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    ]
}

extension CipherSuite {
    /// Creates a suite from its IANA or OpenSSL name: `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` or
    /// `ECDHE-RSA-AES128-GCM-SHA256`.
    ///
    /// - Parameter name: The name, which is case-insensitive; the result is nil if it is unknown to the engine.
    public init?(name: String) {
        let wanted = name.asciiUppercased
        let found = Self.names.first { $0.value == wanted || Self.openSSLName(of: $0.value) == wanted }
        guard let found else { return nil }
        self.init(rawValue: found.key)
    }

    /// Whether the engine can offer it.
    var isKnown: Bool { Self.names[self.rawValue] != nil }

    /// Whether it is a TLS 1.3 suite (RFC 8446 section B.4); those are always offered.
    public var isOfTLS13: Bool { self.rawValue & 0xFF00 == 0x1300 }

    /// Returns the OpenSSL name; TLS 1.3 suites have their registered name there, too.
    private static func openSSLName(of name: String) -> String {
        let parts = name.utf8.split(separator: UInt8(ascii: "_")).map { Substring($0) }.filter {
            $0 != "TLS" && $0 != "CBC"
        }
        guard let with = parts.firstIndex(of: "WITH") else { return name }
        let exchange = parts[..<with].filter { !(with == 1 && $0 == "RSA") }
        var cipher = parts[(with + 1)...].joined(separator: "-")
        cipher = cipher.utf8.starts(with: "AES-".utf8) ? "AES" + cipher.dropFirst(4) : cipher
        if cipher.utf8.starts(with: "CHACHA20-".utf8) { cipher = "CHACHA20-POLY1305" }
        return (exchange + [Substring(cipher)]).joined(separator: "-")
    }
}
