// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A response from the server, and the times that its age is calculated from.
struct CacheArrival: Sendable {
    /// The response; its head has arrived.
    var response: StreamedResponse

    /// When it arrived, in seconds since 1970.
    let responseTime: Int64

    /// How long the server took for it, in seconds.
    let responseDelay: Int64

    /// Its place among the responses that arrive in the same second.
    let number = ArrivalNumber.next()

    /// Its request, which an unsafe request may have overtaken.
    let fetch: CacheChanges.Fetch
}
