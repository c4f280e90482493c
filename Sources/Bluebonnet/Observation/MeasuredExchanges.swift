// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes

/// The exchanges of one call that are being measured: one after the other, and two side by side while an attempt is hedged.
struct MeasuredExchanges {
    /// Whether a second attempt has begun beside the first; it stays so until the call ends.
    var isHedged = false

    private var open: [MeasuredExchange] = []

    mutating func begin(_ exchange: MeasuredExchange) {
        self.open.append(exchange)
    }

    /// A response has come.
    ///
    /// - Parameters:
    ///   - status: Its status.
    ///   - delay: How long its exchange took by the measurements of the transport; nil where it makes none.
    ///   - now: The time.
    mutating func answer(_ status: HTTPResponse.Status, after delay: Duration?, at now: SessionClock.Instant) {
        // Events do not name their exchange. Of two, it is the one that has taken as long; the later one if nobody knows.
        let open = self.open.indices.filter { self.open[$0].status == nil }
        let index = open.min { one, other in
            guard let delay else { return one > other }
            return self.difference(one, delay, now) < self.difference(other, delay, now)
        }
        if let index { self.open[index].status = status }
    }

    private func difference(_ index: Int, _ delay: Duration, _ now: SessionClock.Instant) -> Duration {
        let elapsed = self.open[index].started.duration(to: now)
        return elapsed > delay ? elapsed - delay : delay - elapsed
    }

    /// An exchange that the next one of the call takes the place of; nil if there is none.
    mutating func takeReplaced() -> MeasuredExchange? {
        // Beside a second attempt, the first one goes on.
        self.isHedged ? self.takeAnswered() : self.open.popLast()
    }

    /// The exchange that has a response; nil if none has.
    mutating func takeAnswered() -> MeasuredExchange? { self.take(where: { $0.status != nil }) }

    /// The exchange that has none, the first of two; nil if all have.
    mutating func takeUnanswered() -> MeasuredExchange? { self.take(where: { $0.status == nil }) }

    private mutating func take(where isWanted: (MeasuredExchange) -> Bool) -> MeasuredExchange? {
        self.open.firstIndex(where: isWanted).map { self.open.remove(at: $0) }
    }
}

extension ExchangeMetrics {
    /// From the beginning of the exchange to the end of the response's head.
    var timeToResponseHead: Duration? {
        guard let started, let responseHeadEnded else { return nil }
        return started.duration(to: responseHeadEnded)
    }
}
