// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The origins that are reached without a proxy, in the syntax of the variable `NO_PROXY`.
///
/// The list is case-insensitive, and its entries are separated by commas or spaces:
///
/// | entry | what bypasses the proxy |
/// |---|---|
/// | `*` | everything |
/// | `example.com`, `.example.com`, `*.example.com` | that host and every host below it, as with curl |
/// | `example.com:8080` | the same, on that port only |
/// | `10.0.0.7`, `::1`, `[::1]:8080` | that address |
/// | `10.0.0.0/8`, `fd00::/8` | the addresses in that network (RFC 4632) |
///
/// Only the host in the URL is compared: names are not resolved. `localhost` is not treated specially.
public struct ProxyBypass: Hashable, Sendable {
    /// The empty list: every origin is reached through the proxy.
    public static let none = ProxyBypass(rules: [])

    private enum Target: Hashable {
        case everything
        /// The bytes of a host name, in lower case.
        case domain([UInt8])
        case network(IPNetwork)
    }

    private struct Rule: Hashable {
        var target: Target
        var port: Int?
    }

    private var rules: [Rule]

    private init(rules: [Rule]) {
        self.rules = rules
    }

    /// Parses a list.
    ///
    /// - Parameter list: The entries.
    /// - Throws: ``TransportError/Code/invalidProxy`` for an invalid entry: a port or a prefix length out of range, or
    ///   bytes that no host contains.
    public init(_ list: String) throws(TransportError) {
        self.rules = []
        for entry in list.asciiLowercased.utf8.split(whereSeparator: Self.isSeparator) {
            self.rules.append(try Self.rule(Substring(entry)))
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// Whether an origin is reached without a proxy.
    public func contains(_ origin: Origin) -> Bool {
        guard !self.rules.isEmpty else { return false }
        var host = origin.host.asciiLowercased.utf8[...]
        let address = IPAddress(Substring(host.prefix { $0 != UInt8(ascii: "%") }))
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        return self.rules.contains { rule in
            if let port = rule.port, port != origin.port { return false }
            switch rule.target {
            case .everything: return true
            case .network(let network): return address.map { network.contains($0) } ?? false
            case .domain(let domain):
                guard address == nil, host.ends(with: domain) else { return false }
                let label = host.dropLast(domain.count)
                return label.isEmpty || label.last == UInt8(ascii: ".")
            }
        }
    }

    private static func rule(_ entry: Substring) throws(TransportError) -> Rule {
        if entry.utf8.elementsEqual("*".utf8) { return Rule(target: .everything, port: nil) }
        if entry.utf8.contains(UInt8(ascii: "/")) { return Rule(target: try Self.network(entry), port: nil) }
        if let address = IPAddress(entry) { return Rule(target: .network(IPNetwork(address)), port: nil) }
        let (text, port) = try Self.split(entry)
        if let address = IPAddress(text) { return Rule(target: .network(IPNetwork(address)), port: port) }
        var domain = text.utf8
        if domain.starts(with: "*.".utf8) { domain = domain.dropFirst() }
        if domain.first == UInt8(ascii: ".") { domain = domain.dropFirst() }
        if domain.last == UInt8(ascii: ".") { domain = domain.dropLast() }
        guard !domain.isEmpty, domain.allSatisfy(Self.isAllowedInName) else {
            throw Self.invalid(entry, "is neither a host nor an address")
        }
        return Rule(target: .domain(Array(domain)), port: port)
    }

    private static func network(_ entry: Substring) throws(TransportError) -> Target {
        do throws(IPNetwork.Fault) {
            return .network(try IPNetwork(entry))
        } catch {
            throw Self.invalid(entry, error.rawValue)
        }
    }

    /// Splits off the port and removes brackets.
    private static func split(_ entry: Substring) throws(TransportError) -> (host: Substring, port: Int?) {
        var host = entry
        var port: Substring?
        if entry.utf8.first == UInt8(ascii: "["), let end = entry.utf8.firstIndex(of: UInt8(ascii: "]")) {
            host = entry[..<end].dropFirst()
            let after = entry[entry.utf8.index(after: end)...]
            guard after.isEmpty || after.utf8.first == UInt8(ascii: ":"), IPAddress.isIPv6(text: host) else {
                throw Self.invalid(entry, "is not an address")
            }
            port = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = entry.utf8.lastIndex(of: UInt8(ascii: ":")) {
            host = entry[..<colon]
            port = entry[entry.utf8.index(after: colon)...]
        }
        guard let port else { return (host, nil) }
        guard let number: Int = port.utf8.decimalNumber(), (1...65535).contains(number) else {
            throw Self.invalid(entry, "has no port between 1 and 65535 after its colon")
        }
        return (host, number)
    }

    private static func isAllowedInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A: true
        // Bytes outside ASCII match only a host with the same bytes.
        default: byte >= 0x80 || "-._~".utf8.contains(byte)
        }
    }

    private static func invalid(_ entry: Substring, _ problem: String) -> TransportError {
        .invalidProxy("the entry “\(entry)” in the list of hosts without a proxy \(problem)")
    }
}
