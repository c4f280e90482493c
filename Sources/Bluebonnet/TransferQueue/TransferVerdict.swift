// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// The outcome of an attempt of a transfer.
struct TransferOutcome: Sendable {
    enum Result: Sendable {
        /// Everything has arrived.
        case finished(byteCount: Int64)
        /// The queue interrupted it.
        case interrupted
        case failed(SessionError)
    }

    var result: Result
    /// The bytes that are present, and their total; nil if unknown.
    var kept: TransferProgress?
    /// The request, as it was sent.
    var request: Request
    /// The duration of the attempt.
    var elapsed: Duration
    /// Whether the server has everything and refuses it, so that another attempt would send all of it again.
    var isRefusalOfWhole = false
    /// Whether another attempt may succeed, whatever the statuses and failures of the policy are.
    var isPassing = false

    /// Whether the session can no longer send anything, which is not a failure of the transfer.
    var isEndOfSession: Bool {
        if case .failed(let error) = self.result { error.code == .shutDown } else { false }
    }

    /// The failure, in its stored form.
    fileprivate static func failure(_ error: SessionError) -> Transfer.Failure {
        Transfer.Failure(code: error.code, reason: error.reason, status: error.status?.code)
    }
}

/// Decides what follows a failed attempt.
struct TransferVerdict: Sendable {
    let policy: RetryPolicy

    /// Statuses that new credentials, or a new URL, from the program's function may fix.
    private static let refusals: Set<Int> = [401, 403]

    /// Applies the outcome of an attempt to its entry.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - entry: The entry. If it was paused or cancelled meanwhile it stays so, unless everything has arrived.
    ///   - moment: The time at which it is called.
    func apply(_ outcome: TransferOutcome, to entry: inout TransferEntry, moment: () -> TransferMoment) async {
        let hasMoved = outcome.kept.map { entry.keep($0.completed, of: $0.total) } ?? false
        switch outcome.result {
        case .finished(let byteCount): entry.finish(byteCount)
        case .interrupted: entry.interrupt()
        case .failed where outcome.isEndOfSession: entry.interrupt()
        case .failed(let error):
            // The file may be at its destination all the same, if only its name could not be written to the disk.
            if let byteCount = TransferRun.committedByteCount(entry) { return entry.finish(byteCount) }
            guard entry.state == .running || entry.state == .waiting else { return entry.interrupt() }
            entry.countFailure(hasMoved: hasMoved)
            let attempt = entry.transfer.failedAttemptCount
            let delay = await self.delay(after: error, outcome, attempt: attempt, hasMoved: hasMoved)
            entry.fail(TransferOutcome.failure(error), retryAfter: delay, at: moment())
        }
    }

    /// The delay before the next attempt.
    ///
    /// - Parameters:
    ///   - error: The error of the attempt.
    ///   - outcome: The attempt.
    ///   - attempt: Its number since the last one with progress, counted from 1.
    ///   - hasMoved: Whether it made progress.
    /// - Returns: The delay; nil if no attempt follows.
    private func delay(
        after error: SessionError,
        _ outcome: TransferOutcome,
        attempt: Int,
        hasMoved: Bool
    ) async -> Duration? {
        guard attempt < self.policy.maximumAttempts, !outcome.isRefusalOfWhole, self.mayRepeat(error) else {
            return nil
        }
        let isTransient = outcome.isPassing || error.isShortage || self.isTransient(error, hasMoved: hasMoved)
        let proposal: RetryDecision =
            isTransient ? self.policy.proposal(afterTransient: error, attempt: attempt) : .stop
        var decision = proposal
        if let decide = self.policy.decide {
            let context = self.policy.context(
                of: error,
                outcome.request,
                attempt: attempt,
                elapsed: outcome.elapsed,
                proposal: proposal
            )
            // If the program's function fails, the rules decide.
            decision = (try? await decide(context)) ?? proposal
        }
        guard case .retry(let delay) = decision else { return nil }
        return max(delay, .zero)
    }

    /// Whether another attempt cannot make a server process an upload twice, or may.
    private func mayRepeat(_ error: SessionError) -> Bool {
        error.undecidedMethod.map { self.policy.methods.contains($0) } ?? true
    }

    private func isTransient(_ error: SessionError, hasMoved: Bool) -> Bool {
        if self.policy.isTransient(ofTransfer: error) { return true }
        guard hasMoved, error.code == .unacceptableStatus, let status = error.status else { return false }
        return Self.refusals.contains(status.code)
    }
}
