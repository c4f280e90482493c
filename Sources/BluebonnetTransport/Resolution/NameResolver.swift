// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import NIOCore

/// Resolves a host name to addresses.
///
/// The engine calls it for the connections it opens to names, from a separate task, concurrently and never on an event
/// loop. Connections to the same host and port that are opened during a lookup share its result; the engine does not
/// cache it. It is never called for hosts that are addresses, with or without a zone. The task is cancelled when no
/// connection waits for it any more, each for ``Timeouts/resolve`` at most, and at the end of the engine; neither waits
/// for it, and a result that comes later is ignored. A thrown error fails the exchange with ``TransportError/Code/nameResolutionFailed``, unless it
/// is a ``TransportError`` itself.
///
/// The result only decides where the connection is made: the Host field, the server name in the TLS handshake and the
/// expected certificate are the origin's.
///
/// ```swift
/// struct Pinned: NameResolver {
///     func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
///         [try SocketAddress(ipAddress: "192.0.2.7", port: port)]
///     }
/// }
/// ```
public protocol NameResolver: Sendable {
    /// Looks up the addresses of a host.
    ///
    /// - Parameters:
    ///   - host: The name, as in the origin or the proxy.
    ///   - port: The requested port; a result may have another one.
    /// - Returns: IP addresses with their ports, the best first; empty if there are none. IPv6 and IPv4 are tried
    ///   alternately (RFC 8305), beginning with the family of the first address.
    /// - Throws: Any error that prevents the lookup.
    func addresses(of host: String, port: Int) async throws -> [SocketAddress]
}

/// A resolver whose lookups may hang for the sake of one address family.
///
/// Some name servers do not answer the query for IPv6 addresses. The system waits for it for 10 s with its usual settings,
/// although the IPv4 addresses have arrived (RFC 8305 section 3 uses them soon after).
package protocol AssistedNameResolver: NameResolver {
    /// Looks up the IPv4 addresses alone; called for a lookup that takes long, whose result is the first of both.
    ///
    /// - Returns: The addresses; none if there is nothing to find in this way.
    /// - Throws: Any error, which is ignored.
    func ipv4Addresses(of host: String, port: Int) async throws -> [SocketAddress]
}

extension NameResolver where Self == SystemNameResolver {
    /// The system's resolver.
    public static var system: SystemNameResolver { SystemNameResolver() }
}
