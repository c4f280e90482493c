// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

@testable import Bluebonnet

extension WallClock {
    /// The time of now, which stays: a lifetime of a minute has a minute left however slow the machine is.
    static func stopped() -> WallClock {
        let now = WallClock.system.now
        return WallClock { now }
    }
}

/// A session with a cache in memory whose clock stands still, and the store of that.
func cachingSession(
    _ transport: any Transport,
    _ change: (inout ResponseCache) -> Void = { _ in }
) -> (Session, MemoryCacheStore) {
    let store = MemoryCacheStore(maximumByteCount: 1 << 20)
    var configuration = Session.Configuration()
    var cache = ResponseCache(store: store)
    cache.wallClock = .stopped()
    change(&cache)
    configuration.cache = cache
    return (Session(configuration: configuration, transport: transport), store)
}
