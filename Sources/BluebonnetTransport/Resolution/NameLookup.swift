// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Looks up the addresses of a host with a resolver, within the time limit.
struct NameLookup: Sendable {
    let resolver: any NameResolver
    let clock: EngineClock
    /// The lookups in progress.
    let pending = PendingLookups()

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
        let lookup = self.pending.start(found) { [resolver] in try await resolver.addresses(of: host, port: port) }
        let timeout = limit.map { limit in
            self.clock.schedule(at: self.clock.now() + TimeAmount(limit), on: eventLoop) { [pending] in
                let error = TransportError(
                    .timedOut,
                    phase: .resolve,
                    reason: "looking up the host \(host) took longer than \(limit)"
                )
                pending.end(lookup, with: .failure(error))
            }
        }
        return found.futureResult.always { _ in timeout?.cancel() }
            .flatMapThrowing { addresses in
                let addresses = addresses.filter { $0.protocol == .inet || $0.protocol == .inet6 }
                guard !addresses.isEmpty else { throw TransportError.noAddress(of: host) }
                observation?.tell(.resolveEnded(addresses: addresses.compactMap(\.ipAddress)))
                return addresses
            }
            .flatMapErrorThrowing { error in throw TransportError(resolving: error, host: host) }
    }
}
