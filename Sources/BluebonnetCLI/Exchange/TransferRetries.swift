// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import Synchronization

/// Repeats transfers as a whole, where the session has ended its attempts: it repeats no exchange behind the head of
/// the response, and nothing behind the limit on everything.
struct TransferRetries: Sendable {
    /// Whether a transfer is repeated whose body broke off.
    let includesBrokenBodies: Bool

    /// Whether a transfer is repeated that took longer than `--max-time`, which limits each.
    let includesTimeouts: Bool

    /// The number of attempts that earlier transfers have made.
    var earlierCount = 0

    /// Runs a transfer, and again as long as there are attempts left.
    ///
    /// - Parameter run: The transfer.
    /// - Returns: What the process ends with.
    /// - Throws: What the last attempt throws.
    func run(_ run: RequestRun) async throws -> CommandStatus {
        var plan = run.plan
        while true {
            let attempts = AttemptCount()
            var current = plan
            current.adjustments.append { $0.observers.append(attempts) }
            do {
                return try await RequestRun(plan: current, console: run.console).runOnce()
            } catch let error as SessionError {
                let made = attempts.count
                guard made < plan.retries.maximumAttempts, !Task.isCancelled,
                    self.repeats(plan, run.console, after: error, hasResponse: attempts.hasResponse)
                else { throw error }
                plan.retries.maximumAttempts -= made
                let number = run.plan.retries.maximumAttempts - plan.retries.maximumAttempts
                plan.transferRetries?.earlierCount = number
                let wait = plan.retries.backoff.delay(afterAttempt: number, random: Double.random(in: 0...1))
                let reason = "attempt \(number): \(error.reason); once more in \(ByteText.span(wait))"
                run.console.report("note", reason)
                try await Task.sleep(for: wait)
            }
        }
    }

    private func repeats(
        _ plan: RequestPlan,
        _ console: Console,
        after error: SessionError,
        hasResponse: Bool
    ) -> Bool {
        // It has been read, and cannot be read again.
        if case .stream = plan.request.body { return false }
        guard error.code == .timedOut ? self.includesTimeouts : self.includesBrokenBodies && hasResponse else {
            return false
        }
        // What has been printed of a response cannot be taken back.
        guard hasResponse else { return true }
        guard let path = plan.outputPath else { return plan.isDownload }
        return (try? OutputFile.replaceableTarget(of: console.absolute(path))) != nil
    }
}

/// Counts the attempts of a request.
private final class AttemptCount: SessionObserver {
    private let state = Mutex((count: 1, hasResponse: false))

    var count: Int { self.state.withLock { $0.count } }

    /// Whether the head of the last attempt's response has arrived.
    var hasResponse: Bool { self.state.withLock { $0.hasResponse } }

    func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .exchangeStarted: self.state.withLock { $0.hasResponse = false }
        case .responseReceived: self.state.withLock { $0.hasResponse = true }
        case .retryScheduled: self.state.withLock { $0.count += 1 }
        default: break
        }
    }
}
