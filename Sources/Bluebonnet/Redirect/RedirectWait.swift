// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The time that a redirect asks to wait before it is followed (RFC 9110 section 10.2.3).
struct RedirectWait {
    private let call: Call
    private let delay: Duration
    private let end: SessionClock.Instant

    /// Whether the time is within the limit of the policy and the deadline of the call.
    let isAllowed: Bool

    /// Measures the time from now on.
    init(_ response: StreamedResponse, _ policy: RedirectPolicy, _ call: Call) {
        self.call = call
        self.delay = Self.delay(response, policy)
        self.end = call.clock.now.advanced(by: self.delay)
        let isShort = policy.retryAfterLimit.map { [delay] in delay <= $0 } ?? true
        self.isAllowed = self.delay == .zero || isShort && call.remaining.map { [delay] in delay < $0 } ?? true
    }

    /// Waits for the rest of the time; at the end for a suspended task to go on, too.
    ///
    /// - Throws: ``SessionError/Code/timedOut`` at the call's deadline, if the task is suspended; `CancellationError` when
    ///   it is cancelled.
    func run() async throws {
        if self.delay > .zero { try await self.sleep() }
        try await self.call.waitWhileSuspended()
    }

    private func sleep() async throws {
        let before = self.call.activity
        self.call.activity = .redirect
        defer { self.call.activity = before }
        try await self.call.sleep(for: self.call.clock.now.duration(to: self.end))
    }

    private static func delay(_ response: StreamedResponse, _ policy: RedirectPolicy) -> Duration {
        // The server's wish is about the request that it has answered, and not about later uses of its response.
        guard policy.retryAfterLimit != nil, response.cacheStatus?.isOfCache != true else { return .zero }
        return RetryAfter.delay(response.headers, now: { policy.wallClock.now }) ?? .zero
    }
}
