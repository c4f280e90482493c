// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

@testable import Bluebonnet

/// A session with a cache in memory, and the store of that.
func cachingSession(
    _ transport: any Transport,
    _ change: (inout ResponseCache) -> Void = { _ in }
) -> (Session, MemoryCacheStore) {
    let store = MemoryCacheStore(maximumByteCount: 1 << 20)
    var configuration = Session.Configuration()
    var cache = ResponseCache(store: store)
    change(&cache)
    configuration.cache = cache
    return (Session(configuration: configuration, transport: transport), store)
}
