// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

extension Request {
    /// The retry policy of this request, which replaces ``Session/Configuration/retries``; nil, the default, to use the
    /// session's.
    ///
    /// The retries count against the budget of the session all the same.
    public var retries: RetryPolicy? {
        get { self.context[RetryPolicy.self] }
        set { self.context[RetryPolicy.self] = newValue }
    }
}
