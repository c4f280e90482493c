// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A response from the server, and the times that its age is calculated from.
struct CacheArrival: Sendable {
    /// The response; its head has arrived.
    var response: StreamedResponse

    /// The fields of its request, as it was sent, that select it among the stored responses.
    let selectingFields: HTTPFields

    /// Whether it is a response of what the cache asked for, and may be kept: the stages below sent the request to the same
    /// URL and host, and without `no-store`.
    let isForCache: Bool

    /// When it arrived, in seconds since 1970.
    let responseTime: Int64

    /// How long the server took for it, in seconds.
    let responseDelay: Int64

    /// Its place among the responses that arrive in the same second.
    let number = ArrivalNumber.next()

    /// Its request, which an unsafe request may have overtaken.
    let fetch: CacheChanges.Fetch
}
