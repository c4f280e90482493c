// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import NIOCore
import Synchronization

/// Sends a request many times and prints how long it took: `--bench`.
struct BenchRun {
    let plan: RequestPlan
    let console: Console

    /// How often the request is sent.
    let count: Int

    /// How many are under way at once.
    let parallelCount: Int

    /// The results of the requests so far.
    private final class Tally: Sendable {
        private let state = Mutex(Results())

        func change<Result: Sendable>(_ body: @Sendable (inout Results) -> Result) -> Result {
            self.state.withLock { body(&$0) }
        }
    }

    private struct Results {
        var next = 0
        var durations: [Duration] = []
        var failures: [String: Int] = [:]
        var statuses: [Int: Int] = [:]
        var byteCount: Int64 = 0

        /// How many have ended, with a response or without.
        var endedCount: Int { self.durations.count + self.failures.values.reduce(0, +) }
    }

    /// Sends the requests over kept connections, reads every body, and prints the times.
    ///
    /// - Returns: Failure if not one request was answered; with `--check-status`, what the worst status stands for.
    /// - Throws: `CommandFailure`; `CancellationError` when the task is cancelled: the times of the requests that have ended are printed by then.
    func run(over session: Session, printingTo sink: any OutputSink) async throws -> CommandStatus {
        guard self.plan.request.body.isReplayable else {
            throw CommandFailure.usage(
                "--bench sends the body many times: standard input longer than 1 MiB is read only once"
            )
        }
        let tally = Tally()
        let start = ContinuousClock.now
        let display = ProgressDisplay(title: "Sending", unit: .requests, console: self.console)
        let completed: @Sendable () -> Int = { tally.change { $0.endedCount } }
        try await display.whileShown(self.count, completed: completed) {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<min(self.parallelCount, self.count) {
                    group.addTask { await self.sendAll(over: session, tally) }
                }
            }
        }
        let total = start.duration(to: .now)
        let result = tally.change { $0 }
        if Task.isCancelled {
            guard result.endedCount > 0 else { throw CancellationError() }
            sink.keepPartially()
            self.console.report("note", "interrupted after \(result.endedCount) of \(self.count) requests")
        }
        try sink.write(Self.text(result.durations.sorted(), result.statuses, result.failures, result.byteCount, total))
        try Task.checkCancellation()
        guard let worst = result.statuses.keys.max() else { return .transport }
        return self.plan.checksStatus ? CommandStatus(responseStatus: worst) : .success
    }

    private func sendAll(over session: Session, _ tally: Tally) async {
        while !Task.isCancelled {
            let isDone = tally.change { tally in
                defer { tally.next += 1 }
                return tally.next >= self.count
            }
            if isDone { return }
            let start = ContinuousClock.now
            do {
                let response = try await session.send(self.plan.request, monitor: nil)
                var byteCount: Int64 = 0
                for try await buffer in response.body { byteCount += Int64(buffer.readableBytes) }
                let (duration, count) = (start.duration(to: .now), byteCount)
                tally.change { tally in
                    tally.durations.append(duration)
                    tally.statuses[response.status.code, default: 0] += 1
                    tally.byteCount += count
                }
            } catch {
                // What the interruption has broken off is no failure of the server.
                if Task.isCancelled { return }
                let reason = CommandFailure(describing: error, isOfCurl: self.plan.isOfCurl).message
                tally.change { $0.failures[reason, default: 0] += 1 }
            }
        }
    }

    /// The lines: how many, how fast, and the times that half, 90 and 99 of a hundred did not exceed.
    static func text(
        _ sorted: [Duration],
        _ statuses: [Int: Int],
        _ failures: [String: Int],
        _ byteCount: Int64,
        _ total: Duration
    ) -> String {
        let seconds = max(total / .seconds(1), 0.000_001)
        let rate = Int((Double(sorted.count) / seconds).rounded())
        var lines = [
            "requests \(sorted.count) in \(ByteText.span(total)), \(rate) a second, \(ByteText.size(byteCount))"
        ]
        let codes = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        if !codes.isEmpty { lines.append("status   " + codes.joined(separator: ", ")) }
        for (reason, count) in failures.sorted(by: { ($0.value, $1.key) > ($1.value, $0.key) }).prefix(5) {
            lines.append("failed   \(count): \(TerminalText.escapedLine(reason))")
        }
        for (name, part) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
            guard let time = Self.percentile(part, of: sorted) else { continue }
            lines.append("\(name)      \(ByteText.span(time))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The smallest time that a part of all does not exceed (nearest rank); nil of none.
    static func percentile(_ part: Double, of sorted: [Duration]) -> Duration? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((part * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
