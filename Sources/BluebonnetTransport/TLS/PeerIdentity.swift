// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// Whom a certificate is for: its alternative names (RFC 9525).
///
/// Looked at in addition to what the TLS library verifies. The library also accepts a certificate for the address of the *socket*,
/// whatever host was asked for; but at the other end of the socket there may be a proxy, or whoever has answered in the place of a name
/// server, with a perfectly good certificate for an address of his own.
struct PeerIdentity {
    private let names: [String]
    private let addresses: [[UInt8]]

    /// Reads a certificate in DER; nil if it cannot be read.
    init?(certificate: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: certificate),
            let alternatives = try? certificate.extensions.subjectAlternativeNames
        else { return nil }
        var names = [String]()
        var addresses = [[UInt8]]()
        for alternative in alternatives {
            switch alternative {
            case .dnsName(let name): names.append(name)
            case .ipAddress(let address): addresses.append(Array(address.bytes))
            default: break
            }
        }
        self.init(names: names, addresses: addresses)
    }

    init(names: [String], addresses: [[UInt8]]) {
        self.names = names.map { $0.lowercased() }
        self.addresses = addresses
    }

    /// Whether the certificate is for a host.
    ///
    /// - Parameter host: A name or an IP address, as the origin has it.
    /// - Returns: Whether one of its names or addresses is the host.
    func includes(_ host: String) -> Bool {
        if let address = IPAddress(host.prefix { $0 != "%" }) {
            return self.addresses.contains(address.bytes)
        }
        var host = host.lowercased()[...]
        if host.hasSuffix(".") { host = host.dropLast() }
        guard !host.isEmpty else { return false }
        return self.names.contains { Self.matches($0, host) }
    }

    private static func matches(_ presented: String, _ host: Substring) -> Bool {
        guard presented.hasPrefix("*.") else { return presented == host }
        // RFC 9525 section 6.3: the asterisk is the whole first label, and stands for one label.
        guard let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
        return presented.dropFirst() == host[dot...]
    }
}
