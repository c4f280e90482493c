// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOPosix

/// Removes addresses that are reached through an interface which a request does not allow.
///
/// A route that changes between this check and connecting is not noticed.
struct InterfaceFilter: Sendable {
    let routes: RouteTable

    /// Returns the addresses that may be connected to.
    ///
    /// An address without a route is kept: connecting to it reports the reason.
    ///
    /// - Parameters:
    ///   - addresses: The remote addresses.
    ///   - endpoint: The endpoint that has those addresses, for error messages.
    ///   - source: The local address of the connection; nil for the system's choice.
    ///   - eventLoop: The event loop of the connection.
    /// - Returns: At least one address; the future fails with ``TransportError/Code/interfaceNotAllowed`` if none is
    ///   left, and with ``TransportError/Code/connectFailed`` if the system has no descriptor to ask with.
    func withoutCellular(
        _ addresses: [SocketAddress],
        of endpoint: Endpoint,
        from source: String?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        // On the thread that will open the socket, so that both use the same network namespace (network_namespaces(7)).
        eventLoop.flatSubmit {
            let opened = Result { try self.routes.open() }
            guard case .success(let lookup?) = opened else {
                return eventLoop.makeFailedFuture(TransportError.unknownInterface(of: endpoint, opened))
            }
            return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
                var isUnknown = false
                let allowed = addresses.filter { address in
                    guard let query = RouteTable.Query(address, from: source) else { return true }
                    switch lookup(query) {
                    case .interface(let kind): return kind != .mobile
                    case .none: return true
                    case .unknown:
                        isUnknown = true
                        return false
                    }
                }
                guard allowed.isEmpty else { return allowed }
                throw isUnknown ? TransportError.unknownInterface(of: endpoint, opened) : .cellularOnly(endpoint)
            }
        }
    }
}

extension TransportError {
    fileprivate static func cellularOnly(_ endpoint: Endpoint) -> TransportError {
        TransportError(
            .interfaceNotAllowed,
            phase: .connect,
            reason: "\(endpoint) is reached over a cellular interface only, which the request does not allow"
        )
    }

    fileprivate static func unknownInterface(
        of endpoint: Endpoint,
        _ table: Result<RouteTable.Lookup?, any Error>
    ) -> TransportError {
        if case .failure(let error as SystemError) = table, error.isShortage {
            return TransportError(
                .connectFailed,
                phase: .connect,
                reason: "the interface that leads to \(endpoint) could not be looked up: \(error.text)",
                underlying: error
            )
        }
        return TransportError(
            .interfaceNotAllowed,
            phase: .connect,
            reason:
                "the request allows no cellular interface, and the system does not say which one leads to \(endpoint)"
        )
    }
}
