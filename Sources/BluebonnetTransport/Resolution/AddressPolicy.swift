// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore

/// The IP addresses that requests may be sent to.
///
/// For programs that request URLs which others have chosen, and whose own network must not be reached in this way
/// (server-side request forgery). The address that is connected to is checked, on every hop of a redirect, so that a
/// name cannot lead to an address that its URL does not show. If none of a host's addresses is allowed, nothing is
/// sent: the error is ``TransportError/Code/addressNotAllowed``.
///
/// ```swift
/// configuration.addressPolicy = .publicOnly
/// configuration.addressPolicy = try .publicOnly.allowing("10.20.0.0/16", "192.0.2.7")
/// ```
///
/// Through a proxy, the policy applies to hosts that are addresses, and to names that are resolved here (`socks5`). Other
/// names are resolved by the proxy, which has to have rules of its own. Proxies, Unix sockets and name servers are the
/// program's choice: no policy applies to them.
public struct AddressPolicy: Hashable, Sendable {
    private enum Base { case all, publicOnly }

    private struct Rule: Hashable {
        var network: IPNetwork
        var isAllowed: Bool
    }

    private var base: Base
    /// The last one that contains an address decides.
    private var rules: [Rule] = []

    /// Every address.
    public static let unrestricted = Self(base: .all)

    /// The addresses that are reachable from everywhere.
    ///
    /// Refused are loopback, private, link-local, shared (RFC 6598), multicast, documentation, benchmarking and reserved
    /// addresses, by the registries of IANA for addresses of special purposes (RFC 6890), and IPv6 addresses that
    /// contain IPv4 addresses for a transition (6to4, Teredo). An address of NAT64 (`64:ff9b::/96`, RFC 6052) counts as
    /// the IPv4 address in it, as does an IPv4-mapped one.
    public static let publicOnly = Self(base: .publicOnly)

    /// Returns the policy with exceptions: the addresses of networks that are allowed.
    ///
    /// Of several rules for an address, the last one applies.
    ///
    /// - Parameter networks: Addresses, or networks such as `10.20.0.0/16`.
    /// - Returns: The new policy.
    /// - Throws: ``TransportError/Code/invalidRequest`` for a text that is neither.
    public func allowing(_ networks: String...) throws(TransportError) -> Self {
        try self.adding(networks, isAllowed: true)
    }

    /// Returns the policy with exceptions: the addresses of networks that are refused.
    ///
    /// Of several rules for an address, the last one applies.
    ///
    /// - Parameter networks: Addresses, or networks such as `203.0.113.0/24`.
    /// - Returns: The new policy.
    /// - Throws: ``TransportError/Code/invalidRequest`` for a text that is neither.
    public func refusing(_ networks: String...) throws(TransportError) -> Self {
        try self.adding(networks, isAllowed: false)
    }

    /// Whether requests may be sent to an address.
    ///
    /// - Parameter address: An IPv4 or IPv6 address, with or without a zone.
    /// - Returns: Nil if the text is not an address.
    public func allows(_ address: String) -> Bool? {
        IPAddress(host: address).map { self.allows($0) }
    }

    func allows(_ address: IPAddress) -> Bool {
        let reached = address.embedded ?? address
        // A rule may be for the addresses of NAT64 themselves.
        let rule = self.rules.last { $0.network.contains(reached) || $0.network.contains(address) }
        return rule?.isAllowed ?? (self.base == .all || SpecialAddresses.isPublic(reached))
    }

    private func adding(_ networks: [String], isAllowed: Bool) throws(TransportError) -> Self {
        var policy = self
        for text in networks {
            policy.rules.append(Rule(network: try Self.network(text), isAllowed: isAllowed))
        }
        return policy
    }

    private static func network(_ text: String) throws(TransportError) -> IPNetwork {
        if let address = IPAddress(text) { return IPNetwork(address) }
        do throws(IPNetwork.Fault) {
            return try IPNetwork(Substring(text))
        } catch {
            throw .invalid("the entry “\(text)” of an address policy \(error.rawValue)")
        }
    }
}

extension AddressPolicy {
    var isUnrestricted: Bool { self == .unrestricted }

    /// Refuses a host that is an address and not allowed; names are checked when they are resolved.
    func check(_ origin: Origin) throws(TransportError) {
        guard !self.isUnrestricted, let address = IPAddress(host: origin.host), !self.allows(address) else { return }
        throw .addressNotAllowed(address, of: nil)
    }

    /// Returns the addresses of a host that are allowed; at least one.
    func permitted(_ addresses: [SocketAddress], of host: String) throws(TransportError) -> [SocketAddress] {
        guard !self.isUnrestricted else { return addresses }
        var refused: IPAddress?
        let permitted = addresses.filter { found in
            guard let address = found.ipAddress.flatMap({ IPAddress(host: $0) }) else { return false }
            if self.allows(address) { return true }
            refused = refused ?? address
            return false
        }
        guard permitted.isEmpty else { return permitted }
        throw .addressNotAllowed(refused, of: host)
    }
}

extension TransportError {
    fileprivate static func addressNotAllowed(_ address: IPAddress?, of host: String?) -> TransportError {
        let subject = address.map { "the address \($0)" } ?? "an address without a number"
        let owner = host.map { host in IPAddress(host: host) == nil ? " of the host \(host)" : "" } ?? ""
        return TransportError(
            .addressNotAllowed,
            phase: .connect,
            reason: "\(subject)\(owner) is not one that the address policy allows"
        )
    }
}
