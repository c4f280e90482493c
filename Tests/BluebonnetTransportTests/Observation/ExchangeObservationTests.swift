// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import MetricsTestKit
import Synchronization
import TestSupport
import Testing

@testable import BluebonnetTransport

/// The order of an exchange's events, which come from an event loop and from the caller's task.
@Suite(.timeLimit(.minutes(1))) struct ExchangeObservationTests {
    /// Is slow with the first event.
    private final class SlowObserver: TransportObserver {
        let hasBegun = Flag()
        let isCancelled = Flag()
        private let recorded = Mutex([String]())

        var names: [String] { self.recorded.withLock { $0 } }

        func observe(_ event: TransportEvent, of exchange: ExchangeID) {
            if event.name == "connectionAcquired" {
                self.hasBegun.raise()
                let deadline = ContinuousClock.now + .seconds(10)
                while !self.isCancelled.isRaised, ContinuousClock.now < deadline {}
            }
            self.recorded.withLock { $0.append(event.name) }
        }
    }

    @Test(.bug(id: "F157")) func `the last event waits for an observer that is busy with another, and none follows it`()
        async
    {
        let observer = SlowObserver()
        let observation = ExchangeObservation(observer: observer, metrics: nil)
        let hasEnded = await ThreadRace.ends(rounds: 1) { _ in
            (
                {
                    observation.tell(.connectionAcquired(id: 1, isReused: false))
                    observation.tell(.connectionReleased(id: 1))
                },
                {
                    while !observer.hasBegun.isRaised {}
                    observation.tellLast(.cancelled)
                    observer.isCancelled.raise()
                }
            )
        }
        #expect(hasEnded)
        #expect(observer.names == ["connectionAcquired", "cancelled"])
    }

    @Test(.bug(id: "F854")) func `an exchange that has a connection hears of no attempt to make one`() async {
        let observer = RecordingObserver()
        let observation = ExchangeObservation(observer: observer, metrics: nil)
        let origin = Origin(scheme: .http, host: "example.test")
        let exchange = Exchange(TransportRequest(origin: origin, target: "/"), observation: observation)
        let first = ConnectObservation(exchange)
        observation.didAcquire(1, isReused: true, at: nil)
        first.tell(.connectEnded(remoteAddress: nil))
        // The pool had decided to make another one before.
        ConnectObservation(exchange).tell(.connectStarted(origin))
        #expect(observer.names == [["connectionAcquired"]])
        observation.didQueue(at: .now)
        ConnectObservation(exchange).tell(.connectStarted(origin))
        first.tell(.connectEnded(remoteAddress: nil))
        #expect(observer.names == [["connectionAcquired", "connectStarted"]])
    }

    @Test(.bug(id: "F901")) func `attempts to connect that overlap are reported one after the other`() async {
        let observer = RecordingObserver()
        let observation = ExchangeObservation(observer: observer, metrics: nil)
        let origin = Origin(scheme: .http, host: "example.test")
        let exchange = Exchange(TransportRequest(origin: origin, target: "/"), observation: observation)
        observation.didQueue(at: .now)
        let attempts = (0..<3).map { _ in
            let attempt = ConnectObservation(exchange)
            attempt.tell(.connectStarted(origin))
            return attempt
        }
        for attempt in attempts { attempt.tellEnd(.connectEnded(remoteAddress: nil)) }
        #expect(observer.names == [["connectStarted", "connectEnded"]])
        let last = ConnectObservation(exchange)
        last.tell(.connectStarted(origin))
        last.tellEnd(.connectEnded(remoteAddress: nil))
        #expect(observer.names == [["connectStarted", "connectEnded", "connectStarted", "connectEnded"]])
    }

    @Test(.bug(id: "F219")) func `an exchange that has to wait again is counted once`() throws {
        let factory = TestMetrics()
        let observation = ExchangeObservation(observer: nil, metrics: PoolMetrics(factory: factory))
        for _ in 0..<3 { observation.didQueue(at: .now) }
        let meter = try factory.expectMeter("bluebonnet_pool_exchanges_waiting")
        #expect(meter.values.last == 1)
        observation.tellLast(.cancelled)
        #expect(meter.values.last == 0)
    }
}
