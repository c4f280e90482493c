// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Looks up the addresses of a host with a resolver, within the time limit.
struct NameLookup: Sendable {
    let resolver: any NameResolver
    let clock: EngineClock
    /// The lookups in progress.
    let pending = PendingLookups()

    /// How long a lookup takes before it is assisted: longer than nearly all take.
    private static let patience = TimeAmount.seconds(1)

    /// Looks up the addresses of a host; the future is on the given event loop and fails with a ``TransportError``.
    ///
    /// A host that is an address is not passed to the resolver.
    func addresses(
        of host: String,
        port: Int,
        limit: Duration?,
        observation: ConnectObservation?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        if IPAddress(host) != nil, let address = try? SocketAddress(ipAddress: host, port: port) {
            return eventLoop.makeSucceededFuture([address])
        }
        if IPAddress(host: host) != nil {
            // It has a zone, whose number the system knows.
            return eventLoop.makeCompletedFuture { try SystemNameResolver.parse(host, port: port) }
        }
        observation?.enter(.resolve)
        observation?.tell(.resolveStarted(host: host))
        let found = eventLoop.makePromise(of: [SocketAddress].self)
        let target = PendingLookups.Target(host: host, port: port)
        let waiter = self.pending.join(target, found) { [resolver] in
            try await resolver.addresses(of: host, port: port)
        }
        let assistance = (self.resolver as? any AssistedNameResolver).map { resolver in
            self.clock.schedule(at: self.clock.now() + Self.patience, on: eventLoop) { [pending] in
                pending.assist(waiter) { try await resolver.ipv4Addresses(of: host, port: port) }
            }
        }
        let timeout = limit.map { limit in
            self.clock.schedule(at: self.clock.now() + TimeAmount(limit), on: eventLoop) { [pending] in
                pending.leave(waiter, with: Self.late(host, limit))
            }
        }
        return found.futureResult
            .always { _ in
                assistance?.cancel()
                timeout?.cancel()
            }
            .flatMapThrowing { addresses in
                let addresses = addresses.filter { $0.protocol == .inet || $0.protocol == .inet6 }
                guard !addresses.isEmpty else { throw TransportError.noAddress(of: host) }
                observation?.tell(.resolveEnded(addresses: addresses.compactMap(\.ipAddress)))
                return addresses
            }
            .flatMapErrorThrowing { error in throw TransportError(resolving: error, host: host) }
    }

    /// A lookup took longer than its limit.
    static func late(
        _ host: String,
        _ limit: Duration,
        on threads: LookupThreads = SystemNameResolver.threads
    ) -> TransportError {
        TransportError(
            .timedOut,
            phase: .resolve,
            reason: threads.isQueued(host)
                ? "the lookup of the host \(host) waited for others for longer than \(limit)"
                : "looking up the host \(host) took longer than \(limit)"
        )
    }
}
