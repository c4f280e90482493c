// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What has to be equal for one connection to serve two requests.
///
/// TLS options belong to the whole transport, so a connection made under one trust can never serve a request under another.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    var route = Route.direct
}
