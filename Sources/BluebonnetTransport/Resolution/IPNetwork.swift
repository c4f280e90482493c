// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The IP addresses with the same leading bits (RFC 4632).
struct IPNetwork: Hashable, Sendable {
    /// What is wrong with the text of a network, as the rest of a sentence.
    enum Fault: String, Error {
        case notANetwork = "is not a network; write an address, a slash and a number of bits"
        case tooManyBits = "has more bits than an address"
    }

    private let address: IPAddress
    private let prefixLength: Int

    /// The network of one address.
    init(_ address: IPAddress) {
        self.address = address
        self.prefixLength = address.bytes.count * 8
    }

    /// Parses an address and a number of bits, such as `10.0.0.0/8`.
    ///
    /// An IPv4 network may be given as IPv4-mapped IPv6.
    init(_ text: Substring) throws(Fault) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 2, let address = IPAddress(parts[0]), let length: Int = parts[1].utf8.decimalNumber()
        else { throw .notANetwork }
        let isMapped = !address.isIPv6 && parts[0].utf8.contains(UInt8(ascii: ":"))
        let bits = isMapped ? length - 96 : length
        guard (0...address.bytes.count * 8).contains(bits) else { throw .tooManyBits }
        self.address = address
        self.prefixLength = bits
    }

    func contains(_ address: IPAddress) -> Bool { address.matches(self.address, prefixLength: self.prefixLength) }
}
