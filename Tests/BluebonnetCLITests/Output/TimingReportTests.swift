// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Testing

@testable import BluebonnetCLI

@Suite struct TimingReportTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Milliseconds after the start.
        var waitEnded: Int
        var connectStarted: Int?
        var phases: String
    }

    static let cases: [Case] = [
        Case(testDescription: "a free connection", waitEnded: 0, phases: "send 10.0 ms = 500.0 ms"),
        Case(testDescription: "a busy one", waitEnded: 200, phases: "queue 200.0 ms > send 10.0 ms = 500.0 ms"),
        Case(
            testDescription: "a new one at once",
            waitEnded: 30,
            connectStarted: 0,
            phases: "connect 20.0 ms > send 10.0 ms = 500.0 ms"
        ),
        Case(
            testDescription: "a new one in its turn",
            waitEnded: 330,
            connectStarted: 300,
            phases: "queue 300.0 ms > connect 20.0 ms > send 10.0 ms = 500.0 ms"
        ),
    ]

    @Test(arguments: cases) func `waiting in the queue is a phase where it takes time`(_ one: Case) {
        let start = ExchangeMetrics.Instant.now
        func instant(_ milliseconds: Int) -> ExchangeMetrics.Instant { start.advanced(by: .milliseconds(milliseconds)) }
        var metrics = ExchangeMetrics()
        metrics.started = start
        metrics.waitStarted = start
        metrics.waitEnded = instant(one.waitEnded)
        metrics.isConnectionReused = one.connectStarted == nil
        metrics.connectStarted = one.connectStarted.map(instant)
        metrics.connected = one.connectStarted.map { instant($0 + 20) }
        metrics.requestStarted = instant(one.waitEnded)
        metrics.requestEnded = instant(one.waitEnded + 10)
        #expect(TimingReport.line(metrics, end: instant(500)) == one.phases)
    }
}
