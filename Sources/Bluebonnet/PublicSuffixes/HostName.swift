// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The kinds of hosts, by their bytes in lower case.
enum HostName {
    /// Whether a host is an IP address.
    ///
    /// An IPv6 address contains a colon. A host is an IPv4 address if its last label is a number, decimal or
    /// hexadecimal (URL standard, "ends in a number"): `127.1` and `0x7f000001` are addresses to the system, too.
    static func isAddress(_ host: [UInt8]) -> Bool {
        if host.contains(UInt8(ascii: ":")) { return true }
        var end = host.endIndex
        if host.last == UInt8(ascii: ".") { end -= 1 }
        let label = host[..<end].suffix(while: { $0 != UInt8(ascii: ".") })
        if !label.isEmpty, label.allSatisfy(\.isASCIIDigit) { return true }
        return label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy { $0.hexadecimalValue != nil }
    }

    /// Whether a host is this machine: `localhost`, a name below it (RFC 6761 section 6.3), 127.0.0.0/8 or ::1.
    static func isLoopback(_ host: [UInt8]) -> Bool {
        host.elementsEqual("localhost".utf8) || host.suffix(10).elementsEqual(".localhost".utf8)
            || Self.isLoopbackAddress(host)
    }

    /// Whether a host is an address of this machine: 127.0.0.0/8 or ::1.
    static func isLoopbackAddress(_ host: [UInt8]) -> Bool {
        if host.elementsEqual("::1".utf8) { return true }
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count == 4 && labels[0].elementsEqual("127".utf8)
            && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
    }
}

extension ArraySlice<UInt8> {
    /// The longest suffix of the slice whose bytes all satisfy a predicate.
    fileprivate func suffix(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        guard let last = self.lastIndex(where: { !predicate($0) }) else { return self }
        return self[(last + 1)...]
    }
}
