// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Marks a request whose method must not change, in its context.
private struct MethodLock: Sendable {}

extension Request {
    /// Whether a redirect that would change the method is delivered instead of followed.
    ///
    /// With the method the body is dropped (RFC 9110 section 15.4): the response to what is left says nothing about the
    /// request that was redirected.
    var keepsMethod: Bool {
        get { !self.context.isEmpty && self.context[MethodLock.self] != nil }
        set { self.context[MethodLock.self] = newValue ? MethodLock() : nil }
    }
}
