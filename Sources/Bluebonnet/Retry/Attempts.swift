// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials

/// The attempts of one call.
struct Attempts {
    /// The request; after a response that another attempt follows, it says so to the cache.
    private(set) var request: Request
    let policy: RetryPolicy
    let account: RetryAccount?
    let next: Chain

    /// The attempts that were followed by another one.
    private var failed: [FailedAttempt] = []

    /// Whether any byte of them, or of an attempt in parallel with the last one, may have been sent.
    private var isSent = false

    private var call: Call { self.next.call }

    init(request: Request, policy: RetryPolicy, account: RetryAccount?, next: Chain) {
        self.request = request
        self.policy = policy
        self.account = account
        self.next = next
    }

    /// Makes attempts until one is delivered.
    ///
    /// - Parameter made: The outcome of the first attempt, if it has been made.
    /// - Returns: The response.
    /// - Throws: The error of the last attempt; `CancellationError`.
    mutating func run(after made: Result<StreamedResponse, any Error>? = nil) async throws -> StreamedResponse {
        let first = self.call.attempt
        var made = made.map { self.outcome($0) }
        while true {
            let outcome = if let made = made.take() { made } else { await self.attempt(first) }
            guard self.mayBeFollowed(outcome), try await self.prepareNext(after: outcome, first) else {
                return try outcome.delivered(after: self.failed, isSent: self.isSent)
            }
        }
    }

    /// Makes an attempt, or two in parallel.
    private mutating func attempt(_ first: Int) async -> AttemptOutcome {
        let made = self.call.attempt - first + 1
        if self.mayHedge(made), let outcome = await self.hedge(made) { return outcome }
        return self.outcome(await self.next.outcome(of: self.request))
    }

    // These are separate functions so that their values are not kept while those above wait for the server.

    @inline(never)
    private func outcome(_ result: Result<StreamedResponse, any Error>) -> AttemptOutcome {
        AttemptOutcome(result, of: self.request, isRequestSent: self.call.isRequestSent)
    }

    @inline(never)
    private func mayHedge(_ made: Int) -> Bool {
        guard self.policy.hedgingDelay != nil, made < self.policy.maximumAttempts, case .none = self.request.body
        else { return false }
        return self.policy.methods.contains(self.request.method)
    }

    /// Makes two attempts in parallel; nil if neither has finished.
    @inline(never)
    private mutating func hedge(_ made: Int) async -> AttemptOutcome? {
        guard let delay = self.policy.hedgingDelay else { return nil }
        let hedge = Hedge(request: self.request, policy: self.policy, account: self.account, next: self.next)
        let first = self.call.attempt
        var outcomes = await hedge.run(after: delay)
        guard let outcome = outcomes.popLast() else { return nil }
        if self.call.attempt > first, outcome.isRequestSent { self.isSent = true }
        self.failed += outcomes.map { $0.failedAttempt(made, delay: .zero) }
        for status in outcomes.compactMap({ $0.response?.status }) { self.request.bypassStored(status) }
        if let response = outcome.response { self.call.handling.record?.won(response) }
        return await self.whole(outcome)
    }

    /// Waits for the whole of the response that counts, if the call wants it: a body that breaks off is a failure of the
    /// attempt, as it is where the transport collects it.
    private func whole(_ outcome: AttemptOutcome) async -> AttemptOutcome {
        guard case .collected(let limit) = self.call.handling.responseMode, let response = outcome.response,
            response.body.collectedBytes == nil
        else { return outcome }
        let next = self.next
        do {
            // Not every body is the transport's, which has a time limit of its own.
            let result = try await self.call.bounded { await next.collected(outcome.result, upTo: limit) }
            return outcome.replaced(by: result, of: self.request)
        } catch {
            return outcome.replaced(by: .failure(error), of: self.request)
        }
    }

    /// Whether the outcome of an attempt allows another one.
    @inline(never)
    private func mayBeFollowed(_ outcome: AttemptOutcome) -> Bool {
        self.policy.mayFollow(outcome)
    }

    /// Waits until another attempt can be made.
    ///
    /// - Returns: Whether to make it.
    @inline(never)
    private mutating func prepareNext(after outcome: AttemptOutcome, _ first: Int) async throws -> Bool {
        let made = self.call.attempt - first + 1
        guard let delay = try await self.delay(after: outcome, made) else { return false }
        let attempt = outcome.failedAttempt(made, delay: delay)
        self.failed.append(attempt)
        if outcome.isRequestSent { self.isSent = true }
        if let status = outcome.response?.status { self.request.bypassStored(status) }
        self.call.tell(.retryScheduled(attempt))
        try await self.wait(delay, discarding: outcome.response?.body)
        self.call.beginAttempt()
        return true
    }

    // MARK: Decision

    /// How long to wait before the next attempt; nil if there is none.
    private func delay(after outcome: AttemptOutcome, _ made: Int) async throws -> Duration? {
        let verdict = self.policy.verdict(outcome, of: self.request, attempt: made)
        switch try await self.decision(verdict, outcome, made) {
        case .stop:
            if case .refuse(let refusal) = verdict { self.call.tell(.retryRefused(refusal)) }
            return nil
        case .retry(let delay):
            let delay = max(delay, .zero)
            try await self.waitForRoute(after: outcome, delay, made)
            guard let refusal = self.refusal(of: delay, made) else { return delay }
            self.call.tell(.retryRefused(refusal))
            return nil
        }
    }

    /// Waits for a route if nothing was sent, and another attempt can be made.
    private func waitForRoute(after outcome: AttemptOutcome, _ delay: Duration, _ made: Int) async throws {
        guard let wait = self.policy.routeWait, outcome.error != nil, !outcome.isRequestSent,
            made < self.policy.maximumAttempts, self.request.body.isReplayable
        else { return }
        try await wait.run(self.call, before: delay)
    }

    private func decision(
        _ verdict: RetryPolicy.Verdict,
        _ outcome: AttemptOutcome,
        _ made: Int
    ) async throws -> RetryDecision {
        let proposal: RetryDecision = if case .retry(let delay) = verdict { .retry(after: delay) } else { .stop }
        guard let decide = self.policy.decide, outcome.isFailure else { return proposal }
        let context = RetryContext(
            request: self.request,
            attempt: made,
            response: outcome.response?.response(body: Data()),
            error: outcome.error,
            isRequestSent: outcome.isRequestSent,
            retryAfter: self.policy.retryAfter(outcome),
            elapsed: self.call.started.duration(to: self.call.clock.now),
            proposal: proposal
        )
        return try await self.call.decision {
            do {
                return try await decide(context)
            } catch {
                throw SessionError.wrapping(error, request: context.request, source: .retryPolicy)
            }
        }
    }

    /// The limit that another attempt would exceed; nil if it can be made.
    private func refusal(of delay: Duration, _ made: Int) -> RetryRefusal? {
        guard made < self.policy.maximumAttempts else { return .attempts }
        guard self.call.canSend(self.request.body) else { return .body }
        if let remaining = self.call.remaining, delay >= remaining { return .deadline }
        guard let account else { return nil }
        // This check is last, because it takes a token.
        return account.withdraw(at: self.call.clock.now) ? nil : .budget
    }

    // MARK: Back-off

    /// Waits, and reads the rest of a response meanwhile.
    private func wait(_ delay: Duration, discarding body: ResponseBody?) async throws {
        if let body, body.collectedBytes == nil {
            try await withThrowingTaskGroup(of: Void.self) { group in
                let limit = self.call.environment.limits.discardedByteCount
                group.addTask { await body.discard(upTo: limit) }
                defer { group.cancelAll() }
                try await self.sleep(delay)
                // A server that takes longer than the wait loses its connection.
                body.abandon()
            }
        } else {
            try await self.sleep(delay)
        }
        try await self.call.waitWhileSuspended()
    }

    private func sleep(_ delay: Duration) async throws {
        guard delay > .zero else { return try Task.checkCancellation() }
        try await self.call.sleep(for: delay)
    }
}
