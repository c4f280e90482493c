// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension CertificateFacts {
    /// The largest number of hosts that are named.
    private static let namedHostCount = 3

    /// The names and addresses that the certificate is for, as text.
    var hosts: [String] { self.names + self.addresses.map(Self.text(ofAddress:)) }

    /// The first hosts that the certificate is for, and the number of the others.
    ///
    /// A server chooses these texts: those that are no names are only counted.
    var hostList: String {
        let named = self.hosts.lazy.filter(Self.isPrintable).prefix(Self.namedHostCount)
        guard !named.isEmpty else { return "another host" }
        let others = self.hosts.count - named.count
        return named.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    }

    private static func isPrintable(_ host: String) -> Bool {
        host.utf8.count <= 253 && host.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    static func text(ofAddress bytes: [UInt8]) -> String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
