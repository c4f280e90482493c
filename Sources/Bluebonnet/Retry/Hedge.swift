// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Marks the request of an attempt that may have another one in parallel.
///
/// Its response arrives as a stream, even if the call collects the body: the attempt whose response begins first
/// counts.
struct HedgingMark: Sendable {
    /// Whether it is sent in parallel with another attempt, with which it must not share an exchange.
    let isSecond: Bool
}

/// One attempt, and a second one in parallel if the first has no response in time.
struct Hedge {
    let request: Request
    let policy: RetryPolicy
    let account: RetryAccount?
    let next: Chain

    private enum Event: Sendable {
        case answered(Result<StreamedResponse, any Error>)
        /// The delay of the second attempt has passed.
        case due
        /// The second attempt is no longer needed.
        case undue
    }

    /// Makes the attempts.
    ///
    /// - Parameter delay: The delay of the second attempt.
    /// - Returns: The first outcome that is not a transient failure, otherwise the last one, after the other. A response is
    ///   an outcome as soon as it has begun.
    func run(after delay: Duration) async -> [AttemptOutcome] {
        await withTaskGroup(of: Event.self) { group in
            group.addTask { .answered(await self.next.outcome(of: self.request.hedged(isSecond: false))) }
            group.addTask { await self.timer(delay) }
            var outcomes: [AttemptOutcome] = []
            var running = 1
            // A second attempt resets what the call knows about the first.
            var isFirstSent = false
            // When the time that either response asks for is over.
            var retryTime: SessionClock.Instant?
            while running > 0, let event = await group.next() {
                switch event {
                case .due where self.mayBegin():
                    running += 1
                    isFirstSent = self.next.call.beginAttempt()
                    self.next.call.tell(.hedged)
                    group.addTask { .answered(await self.next.outcome(of: self.request.hedged(isSecond: true))) }
                case .due, .undue: break
                case .answered(let result):
                    // An attempt that is under way may have been sent.
                    let isSent = running > 1 || isFirstSent || self.next.call.isRequestSent
                    var outcome = AttemptOutcome(result, of: self.request, isRequestSent: isSent)
                    let now = self.next.call.clock.now
                    outcome.otherRetryAfter = retryTime.map { max(now.duration(to: $0), .zero) }
                    retryTime = self.policy.retryAfter(outcome).map { now.advanced(by: $0) }
                    outcomes.last?.response?.body.abandon()
                    outcomes.append(outcome)
                    running = self.policy.isTransient(outcome) ? running - 1 : 0
                }
            }
            group.cancelAll()
            // The response to an attempt that finished at the same moment is not needed either.
            for await case .answered(.success(let response)) in group { response.body.abandon() }
            return outcomes
        }
    }

    private func mayBegin() -> Bool {
        guard !Task.isCancelled else { return false }
        return self.account?.withdraw(at: self.next.call.clock.now) ?? true
    }

    private func timer(_ delay: Duration) async -> Event {
        do {
            try await self.next.call.clock.sleep(for: max(delay, .zero))
            // The first attempt ends at the call's deadline at the latest, and this wait with it.
            try await self.next.call.handling.gate?.pass()
            return self.next.call.activity.isOfServer ? .due : .undue
        } catch {
            return .undue
        }
    }
}

extension Request {
    fileprivate func hedged(isSecond: Bool) -> Request {
        var request = self
        request.context[HedgingMark.self] = HedgingMark(isSecond: isSecond)
        return request
    }

    /// The same request without a mark.
    var unhedged: Request {
        guard !self.context.isEmpty, self.context[HedgingMark.self] != nil else { return self }
        var request = self
        request.context[HedgingMark.self] = nil
        return request
    }

    /// Whether it is sent in parallel with another attempt.
    var isHedging: Bool { !self.context.isEmpty && self.context[HedgingMark.self]?.isSecond == true }
}
