// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Synchronization

/// Shows a transfer on a terminal while it goes on, and nothing where there is no terminal.
///
/// The line appears when the transfer has taken a second, and is drawn at most ten times a second after that.
final class ProgressDisplay: Sendable {
    private struct State {
        var title: String
        var titleWhenDone: String?
        var meter: ProgressMeter
        var lastDrawn: ContinuousClock.Instant?
        var isShown = false
        var isHidden = false
        var isFinished = false
    }

    /// How long a transfer takes before its line appears.
    static let patience = Duration.seconds(1)

    private static let interval = Duration.milliseconds(100)

    private let sink: (any OutputSink)?
    private let allowsUnicode: Bool
    private let unit: ProgressUnit
    private let palette: Palette
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    /// Creates a display.
    ///
    /// - Parameters:
    ///   - title: The name of the transfer.
    ///   - titleWhenDone: The title when every byte is transferred, or if there is none; nil for the same.
    ///   - unit: What is counted.
    ///   - console: Where it is shown: on standard error, if that is a terminal.
    ///   - now: The clock.
    init(
        title: String,
        titleWhenDone: String? = nil,
        unit: ProgressUnit = .bytes,
        console: Console,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let isShown = console.errors.isTerminal && console.environment["TERM"] != "dumb" && console.quietness == 0
        self.sink = isShown ? console.errors : nil
        // The font of Linux's own console has no eighths of a block.
        self.allowsUnicode = console.allowsUnicode && console.environment["TERM"] != "linux"
        self.unit = unit
        self.palette = Palette(isEnabled: console.allowsColours)
        self.now = now
        self.state = Mutex(
            State(title: title, titleWhenDone: titleWhenDone, meter: ProgressMeter(at: now()))
        )
    }

    /// Notes how far the transfer has come, and draws if it is time to.
    func note(_ completed: Int64, of total: Int64?) {
        let now = self.now()
        self.draw(at: now) { state in
            state.meter.total = total
            if state.meter.completed == 0 {
                state.meter.begin(with: completed, at: now)
            } else {
                state.meter.note(completed, at: now)
            }
        }
    }

    /// Removes the line from the terminal while something else is written there.
    ///
    /// - Parameter body: What writes.
    /// - Throws: What the body throws.
    func whileHidden(_ body: () throws -> Void) rethrows {
        self.erase { $0.isHidden = true }
        defer { self.state.withLock { $0.isHidden = false } }
        try body()
    }

    /// Removes the line from the terminal; nothing is drawn after that.
    func finish() {
        self.erase { $0.isFinished = true }
    }

    private func erase(_ change: (inout State) -> Void) {
        let wasShown = self.state.withLock { state in
            defer { state.isShown = false }
            change(&state)
            return state.isShown
        }
        if wasShown { try? self.sink?.write("\r\u{1B}[K") }
    }

    private func draw(at now: ContinuousClock.Instant, _ change: (inout State) -> Void) {
        guard let sink else { return }
        let columns = sink.columns
        let line: String? = self.state.withLock { state in
            change(&state)
            guard !state.isFinished, !state.isHidden, state.meter.elapsed(at: now) >= Self.patience else { return nil }
            if let last = state.lastDrawn, last.duration(to: now) < Self.interval { return nil }
            state.lastDrawn = now
            state.isShown = true
            var line = ProgressLine(
                title: state.title,
                columns: columns,
                allowsUnicode: self.allowsUnicode,
                unit: self.unit,
                palette: self.palette
            )
            let isDone = state.meter.total.map { state.meter.completed >= $0 } ?? (state.meter.completed == 0)
            guard isDone, let title = state.titleWhenDone else { return line.text(for: state.meter, at: now) }
            line.title = title
            return line.text(waiting: state.meter.elapsed(at: now))
        }
        // The progress of a transfer is no reason to fail it.
        if let line { try? sink.write("\r" + line + "\u{1B}[K") }
    }

    /// Runs a transfer while the line is kept up to date.
    ///
    /// - Parameters:
    ///   - updates: The progress of the transfer.
    ///   - transfer: What takes long.
    /// - Returns: What the transfer returns.
    /// - Throws: What the transfer throws.
    func whileShown<Result: Sendable>(
        _ updates: ProgressStream,
        _ transfer: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await self.whileShown(transfer) {
            let current = updates.current
            self.note(current.completed, of: current.total)
        }
    }

    /// Runs a number of exchanges while the line is kept up to date.
    ///
    /// - Parameters:
    ///   - count: How many there are in all.
    ///   - completed: How many have ended.
    ///   - transfer: What carries them out.
    /// - Returns: What the transfer returns.
    /// - Throws: What the transfer throws.
    func whileShown<Result: Sendable>(
        _ count: Int,
        completed: @escaping @Sendable () -> Int,
        _ transfer: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await self.whileShown(transfer) { self.note(Int64(completed()), of: Int64(count)) }
    }

    /// Runs an exchange while the line is kept up to date: for the body of the request first, then for that of the response.
    ///
    /// - Parameters:
    ///   - monitor: How far both have come.
    ///   - transfer: What takes long.
    /// - Returns: What the transfer returns.
    /// - Throws: What the transfer throws.
    func whileShown<Result: Sendable>(
        both monitor: TransferMonitor,
        _ transfer: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await self.whileShown(transfer) {
            let download = monitor.download.current
            if download.completed > 0 { self.begin("Downloading") }
            let current = download.completed > 0 ? download : monitor.upload.current
            self.note(current.completed, of: current.total)
        }
    }

    /// Turns to another transfer, whose rate is its own; does nothing if it is the one that is shown.
    private func begin(_ title: String) {
        let now = self.now()
        self.state.withLock { state in
            guard state.title != title else { return }
            (state.title, state.titleWhenDone, state.meter) = (title, nil, ProgressMeter(at: now))
        }
    }

    private func whileShown<Result: Sendable>(
        _ transfer: @Sendable () async throws -> Result,
        _ update: @escaping @Sendable () -> Void
    ) async throws -> Result {
        defer { self.finish() }
        guard self.sink != nil else { return try await transfer() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Looked at rather than listened to: a stalled transfer shows as one, and a fast one costs nothing.
                while true {
                    try await Task.sleep(for: Self.interval)
                    update()
                }
            }
            defer { group.cancelAll() }
            return try await transfer()
        }
    }
}
