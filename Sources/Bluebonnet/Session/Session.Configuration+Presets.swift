// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Session.Configuration {
    /// The default configuration: up to 20 redirects are followed; nothing is retried, shared, stored or sent by
    /// itself.
    public static var `default`: Self { Self() }

    /// A configuration for pages and files as a browser fetches them: redirects as in ``default``, cookies, a cache of
    /// 64 MiB in memory, and one shared exchange for identical requests under way.
    ///
    /// The jar and the cache belong to the configuration: sessions that are made with copies of one value share them.
    ///
    /// Nothing is retried, except that every session repeats a request if a kept connection turns out to be closed.
    public static var browserLike: Self {
        var configuration = Self()
        configuration.deduplication = .identical
        configuration.cookies = CookieJar()
        configuration.cache = .memory()
        return configuration
    }

    /// A configuration for services that call services: redirects as in ``default``, and retries by the rules of
    /// ``RetryPolicy``.
    ///
    /// Requests that may be repeated get up to 4 attempts, with random delays of at most 0.5, 1 and 2 seconds between
    /// them. A `Retry-After` of up to 60 s is honoured. The default ``RetryBudget`` limits further attempts to a fifth
    /// of the calls and 10 a second.
    public static var resilient: Self {
        var configuration = Self()
        configuration.retries = .idempotent(attempts: 4)
        return configuration
    }
}
