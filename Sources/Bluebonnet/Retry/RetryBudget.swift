// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How many requests a session may repeat, as a share of its calls, so that retries do not make an outage worse.
///
/// Within any ten seconds the calls of a session may make as many further attempts (retries and hedges) as ``share`` of
/// the calls made in that time, plus ``minimumPerSecond`` for each second. A call that exceeds the budget gets the
/// response or the error that it has.
///
/// ```swift
/// configuration.retryBudget = RetryBudget(share: 0.1, minimumPerSecond: 5)
/// ```
public struct RetryBudget: Sendable, Hashable {
    /// The number of further attempts per call: 0.2 unless changed, from 0 to 100.
    public var share = 0.2 {
        didSet { self.share = Self.limited(self.share) }
    }

    /// The number of further attempts per second, whatever the number of calls: 10 unless changed, 0 to 1,000,000.
    ///
    /// It allows a program with few calls to repeat them all.
    public var minimumPerSecond = 10 {
        didSet { self.minimumPerSecond = Self.limited(self.minimumPerSecond) }
    }

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - share: The number of further attempts per call.
    ///   - minimumPerSecond: The number of further attempts per second.
    public init(share: Double = 0.2, minimumPerSecond: Int = 10) {
        self.share = Self.limited(share)
        self.minimumPerSecond = Self.limited(minimumPerSecond)
    }

    private static func limited(_ share: Double) -> Double { share.isNaN ? 0 : min(max(share, 0), 100) }

    private static func limited(_ count: Int) -> Int { min(max(count, 0), 1_000_000) }
}
