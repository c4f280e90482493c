// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What the tasks of a soak have in common: the number of the next request, and what became of those before.
public final class Scoreboard: Sendable {
    private let next = Atomic(0)
    private let outcomes = Mutex([String: Int]())

    public init() {}

    /// How many requests a soak sends: what `BLUEBONNET_SOAK_REQUESTS` says, or few.
    public static func requestCount(unlessTold few: Int) -> Int {
        ProcessInfo.processInfo.environment["BLUEBONNET_SOAK_REQUESTS"].flatMap { Int($0) } ?? few
    }

    /// The number of the next request.
    public func take() -> Int { self.next.add(1, ordering: .relaxed).oldValue }

    /// Counts an outcome.
    public func note(_ outcome: String) {
        self.outcomes.withLock { $0[outcome, default: 0] += 1 }
    }

    /// How often each outcome was noted.
    public var tally: [String: Int] { self.outcomes.withLock { $0 } }
}
