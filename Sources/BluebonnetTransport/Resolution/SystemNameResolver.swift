// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's resolver: `getaddrinfo`, with the machine's configuration.
///
/// The function blocks and cannot be interrupted, so each lookup runs on a thread of its own; with the usual settings,
/// a name server that does not answer holds it for 10 s, even if the lookup is cancelled. The process has at most 128
/// such threads; further lookups wait, and are removed from the queue if they are cancelled.
///
/// `localhost` and the names below it are not looked up: they are the loopback addresses, 127.0.0.1, at which most
/// servers of a machine listen, and ::1 (RFC 6761 section 6.3).
///
/// If a lookup takes longer than a second, the engine looks the IPv4 addresses up alone too, and uses the first result: some
/// name servers do not answer the query for IPv6 addresses.
public struct SystemNameResolver: NameResolver, AssistedNameResolver {
    /// A family of addresses.
    public enum Family: Sendable, Hashable {
        case ipv4, ipv6
    }

    /// The only family of addresses that is looked up; nil for both.
    public var family: Family?

    /// The threads of all lookups of the process.
    static let threads = LookupThreads(limit: 128)

    /// Creates the resolver.
    ///
    /// - Parameter family: The only family of addresses that is looked up; both unless given.
    public init(family: Family? = nil) {
        self.family = family
    }

    /// Looks up the addresses of a host.
    ///
    /// - Parameters:
    ///   - host: The name.
    ///   - port: The port of the addresses.
    /// - Returns: The addresses in the order of RFC 6724, except for `localhost`.
    /// - Throws: ``TransportError/Code/nameResolutionFailed``; `CancellationError` if the task is cancelled before the
    ///   lookup starts.
    public func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        try await Self.addresses(of: host, port: port, in: self.family)
    }

    package func ipv4Addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        self.family == nil ? try await Self.addresses(of: host, port: port, in: .ipv4) : []
    }

    private static func addresses(of host: String, port: Int, in family: Family?) async throws -> [SocketAddress] {
        if self.isLoopback(host) {
            let addresses: [String] =
                switch family {
                case .ipv4: ["127.0.0.1"]
                case .ipv6: ["::1"]
                case nil: ["127.0.0.1", "::1"]
                }
            return try addresses.flatMap { try self.lookUp($0, port: port, flags: AI_NUMERICHOST) }
        }
        let number: CInt =
            switch family {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case nil: AF_UNSPEC
            }
        return try await self.threads.run(for: host) { try self.lookUp(host, port: port, family: number) }
    }

    /// Whether a host is `localhost` or a name below it, also with the dot of the root at its end.
    private static func isLoopback(_ host: String) -> Bool {
        var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty ?? false { labels.removeLast() }
        guard let last = labels.last, Substring(last).isASCIIWord("localhost") else { return false }
        return labels.allSatisfy { !$0.isEmpty && !$0.contains(0) }
    }

    /// Returns the address that a text is, with its zone (RFC 4007 section 11): the name or the number of a network interface;
    /// asks nobody.
    ///
    /// The system's function knows the names of interfaces for link-local addresses only, and any number.
    ///
    /// - Throws: ``TransportError/Code/nameResolutionFailed`` if this machine has no such zone.
    static func parse(_ address: String, port: Int) throws -> [SocketAddress] {
        let bare = Authority.withoutZone(address)
        let zone = String(Substring(address.utf8.dropFirst(bare.utf8.count + 1)))
        guard !zone.utf8.contains(0) else { throw TransportError.noAddress(of: address) }
        let known = if_nametoindex(zone)
        guard let number = known == 0 ? UInt32(zone) : known else {
            throw TransportError(
                .nameResolutionFailed,
                phase: .resolve,
                reason: "this machine has no network interface “\(zone)”, which the host \(address) names"
            )
        }
        return try Self.lookUp("\(bare)%\(number)", port: port, flags: AI_NUMERICHOST)
    }

    private static func lookUp(
        _ host: String,
        port: Int,
        family: CInt = AF_UNSPEC,
        flags: CInt = 0
    ) throws -> [SocketAddress] {
        // The system's function stops at a NUL and would find another host.
        guard !host.utf8.contains(0) else { throw TransportError.noAddress(of: host) }
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_family = family
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #elseif canImport(Musl)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw Self.failure(host, code: code, systemCode: errno) }
        defer { freeaddrinfo(list) }
        var addresses = [SocketAddress]()
        for info in sequence(first: list, next: { $0?.pointee.ai_next }) {
            guard let info, let bytes = info.pointee.ai_addr.map({ UnsafeRawPointer($0) }) else { continue }
            switch info.pointee.ai_family {
            case AF_INET: addresses.append(SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self), host: host))
            case AF_INET6: addresses.append(SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self), host: host))
            default: break
            }
        }
        return addresses
    }

    /// The error for a code of `getaddrinfo` and the `errno` after it.
    static func failure(_ host: String, code: CInt, systemCode: CInt) -> TransportError {
        if code == EAI_NONAME { return .noAddress(of: host) }
        let text = gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return TransportError(
            .nameResolutionFailed,
            phase: .resolve,
            reason: code == EAI_SYSTEM
                ? "the host \(host) could not be looked up: \(SystemError.text(of: systemCode))"
                : "the host \(host) was not found: \(text)"
        )
    }
}
