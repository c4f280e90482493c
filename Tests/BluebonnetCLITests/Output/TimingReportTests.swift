// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Testing

@testable import BluebonnetCLI

@Suite struct TimingReportTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Milliseconds after the start.
        var queueEnded: Int
        var connectStarted: Int?
        var phases: String
    }

    static let cases: [Case] = [
        Case(testDescription: "a free connection", queueEnded: 0, phases: "send 10.0 ms = 500.0 ms"),
        Case(testDescription: "a busy one", queueEnded: 200, phases: "queue 200.0 ms > send 10.0 ms = 500.0 ms"),
        Case(
            testDescription: "a new one at once",
            queueEnded: 30,
            connectStarted: 0,
            phases: "connect 20.0 ms > send 10.0 ms = 500.0 ms"
        ),
        Case(
            testDescription: "a new one in its turn",
            queueEnded: 330,
            connectStarted: 300,
            phases: "queue 300.0 ms > connect 20.0 ms > send 10.0 ms = 500.0 ms"
        ),
    ]

    @Test(arguments: cases) func `waiting in the queue is a phase where it takes time`(_ one: Case) {
        let start = ExchangeMetrics.Instant.now
        func instant(_ milliseconds: Int) -> ExchangeMetrics.Instant { start.advanced(by: .milliseconds(milliseconds)) }
        var metrics = ExchangeMetrics()
        metrics.started = start
        metrics.queueStarted = start
        metrics.queueEnded = instant(one.queueEnded)
        metrics.isConnectionReused = one.connectStarted == nil
        metrics.connectStarted = one.connectStarted.map(instant)
        metrics.connectEnded = one.connectStarted.map { instant($0 + 20) }
        metrics.requestHeadStarted = instant(one.queueEnded)
        metrics.requestBodyEnded = instant(one.queueEnded + 10)
        #expect(TimingReport.line(metrics, end: instant(500)) == one.phases)
    }
}
