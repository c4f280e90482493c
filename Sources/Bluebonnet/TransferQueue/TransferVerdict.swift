// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// How an attempt of a transfer ended.
struct TransferOutcome: Sendable {
    enum Result: Sendable {
        /// Everything has arrived.
        case finished(byteCount: Int64)
        /// It was interrupted, by the queue.
        case interrupted
        case failed(SessionError)
    }

    var result: Result
    /// The bytes that are there, and those of the whole; nil if that is not known.
    var kept: TransferProgress?
    /// The request, as it was sent.
    var request: Request
    /// How long it took.
    var elapsed: Duration
    /// Whether the server has everything and refuses it, so that another attempt would send all of it again.
    var isRefusalOfWhole = false

    /// Whether the session can send nothing any more, which is no failure of the transfer.
    var isEndOfSession: Bool {
        if case .failed(let error) = self.result { error.code == .shutDown } else { false }
    }

    /// The failure, in the form in which it is kept.
    fileprivate static func failure(_ error: SessionError) -> Transfer.Failure {
        Transfer.Failure(code: error.code, reason: error.reason, status: error.status?.code)
    }
}

/// Decides what follows a failed attempt.
struct TransferVerdict: Sendable {
    let policy: RetryPolicy

    /// Statuses that may go away when the function of the program is asked for new credentials, or for a new URL.
    private static let refusals: Set<Int> = [401, 403]

    /// Writes into an entry how its attempt has ended.
    ///
    /// - Parameters:
    ///   - outcome: How it has ended.
    ///   - entry: The entry. One that was paused or cancelled meanwhile stays so, unless everything has arrived.
    ///   - moment: The time at which it is called.
    func apply(_ outcome: TransferOutcome, to entry: inout TransferEntry, moment: () -> TransferMoment) async {
        let hasMoved = outcome.kept.map { entry.keep($0.completed, of: $0.total) } ?? false
        switch outcome.result {
        case .finished(let byteCount): entry.finish(byteCount)
        case .interrupted: entry.interrupt()
        case .failed where outcome.isEndOfSession: entry.interrupt()
        case .failed(let error):
            guard entry.state == .running || entry.state == .waiting else { return entry.interrupt() }
            entry.countFailure(hasMoved: hasMoved)
            let attempt = entry.transfer.failedAttemptCount
            let delay = await self.delay(after: error, outcome, attempt: attempt, hasMoved: hasMoved)
            entry.fail(TransferOutcome.failure(error), retryAfter: delay, at: moment())
        }
    }

    /// How long to wait before the next attempt.
    ///
    /// - Parameters:
    ///   - error: Why the attempt failed.
    ///   - outcome: The attempt.
    ///   - attempt: Its number since the last one that brought bytes, counted from 1.
    ///   - hasMoved: Whether it brought bytes.
    /// - Returns: The wait; nil if no attempt follows.
    private func delay(
        after error: SessionError,
        _ outcome: TransferOutcome,
        attempt: Int,
        hasMoved: Bool
    ) async -> Duration? {
        guard attempt < self.policy.maximumAttempts, !outcome.isRefusalOfWhole else { return nil }
        let proposal = self.proposal(error, attempt: attempt, hasMoved: hasMoved)
        var decision = proposal
        if let decide = self.policy.decide {
            let context = RetryContext(
                request: outcome.request,
                attempt: attempt,
                response: error.response,
                error: error.response == nil ? error : nil,
                isRequestSent: error.isRequestSent,
                retryAfter: self.retryAfter(error),
                elapsed: outcome.elapsed,
                proposal: proposal
            )
            // Code of the program that fails has not decided anything.
            decision = (try? await decide(context)) ?? proposal
        }
        guard case .retry(let delay) = decision else { return nil }
        return max(delay, .zero)
    }

    private func proposal(_ error: SessionError, attempt: Int, hasMoved: Bool) -> RetryDecision {
        guard self.isTransient(error, hasMoved: hasMoved) else { return .stop }
        let backoff = self.policy.backoff.delay(afterAttempt: attempt, random: self.policy.surroundings.random())
        guard let retryAfter = self.retryAfter(error) else { return .retry(after: backoff) }
        return retryAfter <= self.policy.retryAfterLimit ? .retry(after: retryAfter + backoff) : .stop
    }

    private func isTransient(_ error: SessionError, hasMoved: Bool) -> Bool {
        if error.code == .unacceptableStatus, let status = error.status?.code {
            return self.policy.statuses.contains(status) || (hasMoved && Self.refusals.contains(status))
        }
        guard self.policy.failures.contains(where: { $0.matches(error) }) else { return false }
        return error.proxyStatus.map { self.policy.statuses.contains($0) } ?? true
    }

    private func retryAfter(_ error: SessionError) -> Duration? {
        error.response.flatMap { RetryAfter.delay($0.headers, now: self.policy.surroundings.secondsSince1970) }
    }
}
