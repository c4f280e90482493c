// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The addresses that IANA has registered for special purposes (RFC 6890, and the registries as of 2025).
enum SpecialAddresses {
    /// The IPv4 networks that are not public.
    private static let ipv4 = Self.networks(
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        // Multicast; reserved addresses with the one of all hosts.
        "224.0.0.0/4",
        "240.0.0.0/4"
    )

    /// The IPv6 networks within ``global`` that are not public: those of protocols (Teredo among them), two for
    /// documentation, and 6to4.
    private static let ipv6 = Self.networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

    /// The only IPv6 network of global unicast addresses (RFC 4291 section 2.4).
    private static let global = Self.networks("2000::/3")

    /// Whether an address is reachable from everywhere.
    static func isPublic(_ address: IPAddress) -> Bool {
        guard address.isIPv6 else { return !self.ipv4.contains { $0.contains(address) } }
        return self.global.contains { $0.contains(address) } && !self.ipv6.contains { $0.contains(address) }
    }

    private static func networks(_ texts: Substring...) -> [IPNetwork] {
        texts.compactMap { try? IPNetwork($0) }
    }
}
