// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import NIOCore

/// A resolver with the addresses of curl's `--resolve`, which take precedence over the system's, and those of `--ipv4` or `--ipv6` alone.
struct CurlAddresses: AssistedNameResolver {
    private typealias Entry = (host: String, port: Int, addresses: [SocketAddress])

    private var entries: [Entry] = []

    /// The only family of addresses that is used; nil for both.
    var family: SystemNameResolver.Family?

    /// Whether the system's resolver does the same.
    var isEmpty: Bool { self.optionNames.isEmpty }

    /// The options of curl that were given.
    var optionNames: [String] {
        (self.entries.isEmpty ? [] : ["--resolve"]) + (self.family.map { [$0.curlOption] } ?? [])
    }

    /// Adds addresses.
    ///
    /// - Parameter text: `HOST:PORT:ADDRESS[,ADDRESS…]`; the host may be `*`, an IPv6 address may be in brackets.
    /// - Throws: `CommandFailure` for any other text.
    mutating func add(_ text: String) throws(CommandFailure) {
        let failure = CommandFailure.usage(
            "“\(text)”: curl's --resolve takes a host, a port and an IP address, as in example.com:443:127.0.0.1"
        )
        // The “+” makes an entry expire, which does not matter within one command.
        let text = text.starts(withScalars: "+") ? String(text.droppingScalars(1)) : text
        guard let (host, rest) = text.split(atScalar: ":"), let (number, list) = rest.split(atScalar: ":"),
            !host.isEmpty, !host.starts(withScalars: "-"), let port = Int(number), (1...65_535).contains(port)
        else { throw failure }
        var addresses: [SocketAddress] = []
        for word in list.unicodeScalars.split(separator: ",") {
            var word = Substring(word)
            if word.starts(withScalars: "["), word.ends(withScalars: "]") { word = word.dropFirst().dropLast() }
            guard let address = try? SocketAddress(ipAddress: String(word), port: port) else { throw failure }
            addresses.append(address)
        }
        guard !addresses.isEmpty else { throw failure }
        self.entries.append((String(host).asciiLowercased, port, addresses))
    }

    func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        guard let known = self.entry(of: host, port: port)?.addresses else {
            return try await self.system.addresses(of: host, port: port)
        }
        return self.family.map { known.filter($0.contains) } ?? known
    }

    func ipv4Addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        try await self.system.ipv4Addresses(of: host, port: port)
    }

    private var system: SystemNameResolver { SystemNameResolver(family: self.family) }

    private func entry(of host: String, port: Int) -> Entry? {
        let name = host.asciiLowercased
        let known = self.entries.filter { $0.port == port }
        // The last entry takes precedence, as in curl; "*" matches hosts without an entry of their own.
        return known.last { $0.host.utf8.elementsEqual(name.utf8) } ?? known.last { $0.host == "*" }
    }
}

/// Refuses to connect to an address of the other family that a URL holds: such an address is not looked up.
struct CurlFamilyCheck: Interceptor {
    /// The family of `--ipv4` or `--ipv6`.
    let family: SystemNameResolver.Family

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        if let host = request.url.host(), !self.family.allows(host: host) {
            throw CommandFailure(.transport, "curl's \(self.family.curlOption) excludes the address \(host) of the URL")
        }
        return try await next(request)
    }
}

extension SystemNameResolver.Family {
    /// The option of curl that names it.
    fileprivate var curlOption: String {
        switch self {
        case .ipv4: "--ipv4"
        case .ipv6: "--ipv6"
        }
    }

    /// Whether a host is a name, which has addresses of its own, or an address of the family.
    fileprivate func allows(host: String) -> Bool {
        var host = host[...]
        if host.starts(withScalars: "["), host.ends(withScalars: "]") { host = host.dropFirst().dropLast() }
        return (try? SocketAddress(ipAddress: String(host), port: 0)).map(self.contains) ?? true
    }

    fileprivate func contains(_ address: SocketAddress) -> Bool {
        switch address {
        case .v4: self == .ipv4
        case .v6: self == .ipv6
        case .unixDomainSocket: false
        }
    }
}
