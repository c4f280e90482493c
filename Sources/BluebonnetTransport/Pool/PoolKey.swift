// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What has to be equal for one connection to serve two requests.
///
/// TLS options belong to the whole transport, so a connection made under one trust can never serve a request under another.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    /// The way there, with the credentials for it.
    ///
    /// A proxy that forwards could serve many origins over one connection, but it would be the
    /// only one to gain: limits and queues are per origin.
    var route = Route.direct
}
