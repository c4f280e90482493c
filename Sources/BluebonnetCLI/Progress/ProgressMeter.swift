// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Computes how fast a transfer goes and how long it will still take.
struct ProgressMeter {
    /// A moment of a transfer.
    private struct Sample {
        var instant: ContinuousClock.Instant
        var byteCount: Int64
    }

    /// How far back the rate looks: long enough to be steady, short enough to notice a change.
    static let window = Duration.seconds(3)

    private let start: ContinuousClock.Instant
    private var samples: [Sample]

    /// The number of bytes so far.
    private(set) var completed: Int64 = 0

    /// The number of bytes in all, if it is known.
    var total: Int64?

    /// Starts at zero bytes.
    init(at start: ContinuousClock.Instant, total: Int64? = nil) {
        self.start = start
        self.total = total
        self.samples = [Sample(instant: start, byteCount: 0)]
    }

    /// Notes the bytes that were there at the beginning, from an earlier transfer perhaps: the rate is that of the others.
    mutating func begin(with completed: Int64, at now: ContinuousClock.Instant) {
        self.completed = completed
        self.samples = [Sample(instant: now, byteCount: completed)]
    }

    /// Notes how far the transfer has come.
    mutating func note(_ completed: Int64, at now: ContinuousClock.Instant) {
        self.completed = completed
        let last = self.samples.last?.instant ?? self.start
        // Ten samples a second are enough, however often this is called.
        if last.duration(to: now) >= .milliseconds(100) {
            self.samples.append(Sample(instant: now, byteCount: completed))
            while self.samples.count > 2, self.samples[1].instant.duration(to: now) > Self.window {
                self.samples.removeFirst()
            }
        }
    }

    /// The time since the start.
    func elapsed(at now: ContinuousClock.Instant) -> Duration { self.start.duration(to: now) }

    /// Bytes per second of late; nil before there is anything to go by.
    func rate(at now: ContinuousClock.Instant) -> Double? {
        guard let oldest = self.samples.first else { return nil }
        let seconds = oldest.instant.duration(to: now) / .seconds(1)
        guard seconds > 0.05 else { return nil }
        return Double(max(0, self.completed - oldest.byteCount)) / seconds
    }

    /// The time to go; nil if it cannot be told.
    func remaining(at now: ContinuousClock.Instant) -> Duration? {
        guard let total, let rate = self.rate(at: now), rate > 0 else { return nil }
        return .seconds(min(Double(max(0, total - self.completed)) / rate, 1e8))
    }

    /// The part that is done, from 0 to 1; nil if the total is not known.
    var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(1, Double(self.completed) / Double(total)) : 1
    }
}
