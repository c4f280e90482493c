// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes

/// The measured exchanges of one call: one after the other, or two in parallel while an attempt is hedged.
struct MeasuredExchanges {
    /// Whether a second attempt has begun in parallel; this stays true until the call ends.
    var isHedged = false

    private var open: [MeasuredExchange] = []

    mutating func begin(_ exchange: MeasuredExchange) {
        self.open.append(exchange)
    }

    /// Records a response.
    ///
    /// - Parameters:
    ///   - status: Its status.
    ///   - delay: The duration of its exchange as measured by the transport; nil if it does not measure.
    ///   - now: The time.
    mutating func answer(_ status: HTTPResponse.Status, after delay: Duration?, at now: SessionClock.Instant) {
        // Events do not identify their exchange. Of two exchanges, the one with that duration is chosen; without a
        // duration, the later one.
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

    /// Removes the exchange that the call's next one replaces; nil if there is none.
    mutating func takeReplaced() -> MeasuredExchange? {
        // The first attempt continues in parallel with a second one.
        self.isHedged ? self.takeAnswered() : self.open.popLast()
    }

    /// Removes an exchange with a response; nil if there is none.
    mutating func takeAnswered() -> MeasuredExchange? { self.take(where: { $0.status != nil }) }

    /// Removes the first exchange without a response; nil if there is none.
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
