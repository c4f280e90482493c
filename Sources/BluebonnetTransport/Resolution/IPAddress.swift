// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An IP address as bytes: 4 for IPv4, 16 for IPv6.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// Parses an address in the form of a URL or a list; nil for anything else, for example a name.
    ///
    /// An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`, RFC 4291 section 2.5.5.2) becomes the IPv4 address.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        // The system's function stops at a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes[12...]) : bytes
        } else {
            return nil
        }
    }

    /// Parses the host of an origin or a proxy, of which the zone is removed (RFC 4007 section 11); nil for a name.
    init?(host: String) {
        self.init(Authority.withoutZone(host))
    }

    var isIPv6: Bool { self.bytes.count == 16 }

    /// The IPv4 address that a translator connects to for an IPv6 address of NAT64 (`64:ff9b::/96`, RFC 6052 section 2.1);
    /// nil for all others.
    var embedded: IPAddress? {
        let prefix: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        return self.isIPv6 && self.bytes.starts(with: prefix) ? IPAddress(bytes: Array(self.bytes.suffix(4))) : nil
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether both have the same leading bits; always false for addresses of different families.
    func matches(_ network: IPAddress, prefixLength: Int) -> Bool {
        guard self.bytes.count == network.bytes.count else { return false }
        for (index, (left, right)) in zip(self.bytes, network.bytes).enumerated() {
            let bits = Swift.min(Swift.max(prefixLength - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            if left & mask != right & mask { return false }
        }
        return true
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address as text, without brackets.
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = self.isIPv6 ? AF_INET6 : AF_INET
        let isWritten = self.bytes.withUnsafeBytes { bytes in
            inet_ntop(family, bytes.baseAddress, &text, socklen_t(text.count)) != nil
        }
        return isWritten ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : "?"
    }
}
