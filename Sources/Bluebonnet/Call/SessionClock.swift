// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport

/// The clock that a session takes its time from: deadlines, limits, delays between attempts.
///
/// It uses the system's monotonic clock, which also advances while the process sleeps, and has no time of day.
///
/// ```swift
/// try await next.call.clock.sleep(for: .milliseconds(200))
/// ```
public struct SessionClock: Clock, Sendable {
    public typealias Instant = ExchangeMetrics.Instant

    /// The replacement of the system's time.
    private struct Source: Sendable {
        var now: @Sendable () -> Instant
        var sleep: @Sendable (Instant) async throws -> Void
    }

    private let source: Source?

    /// The system's time.
    public static let system = SessionClock(source: nil)

    private init(source: Source?) {
        self.source = source
    }

    /// Creates a clock that a test controls.
    package init(
        now: @escaping @Sendable () -> Instant,
        sleep: @escaping @Sendable (_ deadline: Instant) async throws -> Void
    ) {
        self.init(source: Source(now: now, sleep: sleep))
    }

    /// The time now.
    public var now: Instant {
        guard let source else { return .now }
        return source.now()
    }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until a moment.
    ///
    /// - Parameters:
    ///   - deadline: The moment.
    ///   - tolerance: How much later the wait may end; it ends as soon as possible, whatever the tolerance is.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        if let source { return try await source.sleep(deadline) }
        try await SleepQueue.shared.sleep(until: deadline)
    }
}
