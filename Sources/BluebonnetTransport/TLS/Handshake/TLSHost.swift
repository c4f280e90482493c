// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The host of an origin as used in TLS.
package struct TLSHost: Sendable, Hashable {
    /// The server name that is sent and checked against the certificate; nil for an address, which must not be sent
    /// (RFC 6066 section 3).
    package let name: String?
    /// The 4 or 16 bytes of an IP address, which is checked against the certificate.
    package let address: [UInt8]?

    /// Parses a host.
    ///
    /// - Parameter host: A name or an IP address; a trailing dot and the zone of an address are removed.
    /// - Throws: ``TransportError/Code/tlsFailed`` for a name that cannot be in a certificate: empty, too long, or not
    ///   in its ASCII form.
    package init(_ host: String) throws(TransportError) {
        var name = host.asciiLowercased
        if name.utf8.last == UInt8(ascii: ".") { name.unicodeScalars.removeLast() }
        if let address = Self.address(Substring(name.utf8.prefix { $0 != UInt8(ascii: "%") })) {
            (self.name, self.address) = (nil, address)
            return
        }
        guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy(Self.isAllowed) else {
            throw TransportError(
                .tlsFailed,
                phase: .tlsHandshake,
                reason:
                    "no certificate can be for the host “\(host)”: a name of ASCII letters, digits, hyphens, underscores and dots is needed"
                    + " (international names in the form xn--…)"
            )
        }
        (self.name, self.address) = (name, nil)
    }

    /// Whether the libraries for TLS and certificates check the name; for one with an underscore they refuse every certificate.
    ///
    /// The engine's own rules check each name and address (``CertificateFacts/includes(_:)``).
    var isCheckedByLibraries: Bool { self.name.map { !$0.utf8.contains(UInt8(ascii: "_")) } ?? false }

    /// The name or the address, for an error.
    var text: String { self.name ?? self.address.map(CertificateFacts.text(ofAddress:)) ?? "" }

    /// Whether a byte may be in the name of a certificate.
    ///
    /// The underscore is in no host name of RFC 952, but in names that servers have and that certificates are issued for.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func address(_ text: Substring) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let text = String(text)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}
