// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import NIOCore

/// Finds the addresses of a host.
///
/// The engine asks once for each connection it opens to a name, from a task of its own, many at a time and never on an event loop; it does
/// not keep answers. Hosts that are addresses already are never asked for. The task is cancelled after ``Timeouts/resolve``. Whatever is
/// thrown fails the exchange with ``TransportError/Code/nameResolutionFailed``, unless it is a ``TransportError`` of its own.
///
/// An answer decides where the bytes go and nothing else: the Host field, the name in the TLS handshake and the certificate that is
/// expected are those of the origin.
///
/// ```swift
/// struct Pinned: NameResolver {
///     func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
///         [try SocketAddress(ipAddress: "192.0.2.7", port: port)]
///     }
/// }
/// ```
public protocol NameResolver: Sendable {
    /// Finds the addresses of a host.
    ///
    /// - Parameters:
    ///   - host: The name, as the origin or the proxy has it.
    ///   - port: The port that is asked for; an answer may have another one.
    /// - Returns: Internet addresses with their ports, the best first within each family; none if there are none. IPv6 and IPv4 are tried
    ///   in turn (RFC 8305), IPv6 first.
    /// - Throws: Whatever keeps it from finding out.
    func addresses(of host: String, port: Int) async throws -> [SocketAddress]
}

extension NameResolver where Self == SystemNameResolver {
    /// The system's resolver.
    public static var system: SystemNameResolver { SystemNameResolver() }
}
