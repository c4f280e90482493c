// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// What an engine remembers of servers beyond the end of their connections.
struct KnownServers: Sendable {
    /// The servers that require HTTP/1.1 (RFC 9113 section 7, HTTP_1_1_REQUIRED); there is nearly always none.
    let requiringHTTP1 = ServerMemory<Void>()
    /// The number of streams that a server allowed last on an HTTP/2 connection.
    private let streamLimits = ServerMemory<Int>()

    /// Returns the key of a request, adapted to the versions that its server has accepted.
    func agreed(_ key: PoolKey, now: NIODeadline) -> PoolKey {
        guard self.requiringHTTP1.value(for: key, now: now) != nil else { return key }
        var key = key
        key.requiresHTTP1 = true
        return key
    }

    /// The number of streams for a new connection, until its server has announced one; nil if nothing is remembered.
    func streamLimit(of key: PoolKey, now: NIODeadline) -> Int? { self.streamLimits.value(for: key, now: now) }

    /// Remembers the number of streams that a server allows; one that allows none on this connection, for a while, is
    /// taken to allow one on the next.
    func noteStreamLimit(_ limit: Int, of key: PoolKey, now: NIODeadline) {
        self.streamLimits.insert(Swift.max(1, limit), for: key, now: now)
    }
}
