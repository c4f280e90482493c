// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A response of the server, and what its age is reckoned from.
struct CacheArrival: Sendable {
    /// The response; its head has arrived.
    var response: StreamedResponse

    /// When it came, in seconds since 1970.
    let responseTime: Int64

    /// How long the server took for it, in seconds.
    let responseDelay: Int64

    /// Its request, which a change may have overtaken.
    let fetch: CacheChanges.Fetch
}
