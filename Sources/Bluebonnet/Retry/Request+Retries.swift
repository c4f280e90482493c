// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

extension Request {
    /// Which attempts of this request are repeated, instead of ``Session/Configuration/retries``; nil, the default, for that one.
    ///
    /// The retries count against the budget of the session all the same.
    public var retries: RetryPolicy? {
        get { self.context[RetryPolicy.self] }
        set { self.context[RetryPolicy.self] = newValue }
    }
}
