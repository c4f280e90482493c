// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Metrics
import MetricsTestKit
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

/// Backends of a program that do more than make instruments.
@Suite(.timeLimit(.minutes(1))) struct MetricsFactoryTests {
    @Test(.bug(id: "F203"), arguments: [AskingFactory.Kind.meter, .timer])
    func `a backend that makes an instrument does not hold up other calls`(_ kind: AskingFactory.Kind) throws {
        let factory = AskingFactory(kind)
        let observer = MetricsObserver(factory: factory)
        let request = Request(url: try Peer.url("http://h/a"))
        factory.whileMaking {
            let call = Call(request)
            for event in [CallEvent.callStarted, .exchangeStarted(request), .callEnded] {
                observer.observe(event, of: call)
            }
        }
        let call = Call(request)
        for event in [CallEvent.callStarted, .exchangeStarted(request), .callEnded] {
            observer.observe(event, of: call)
        }
        #expect(factory.outcome == true)
    }

    @Test func `calls that begin at the same moment have one series of instruments`() async throws {
        let metrics = TestMetrics()
        let observer = MetricsObserver(factory: metrics)
        let request = Request(url: try Peer.url("http://h/a"))
        await withDiscardingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    let call = Call(request)
                    for event in [CallEvent.callStarted, .exchangeStarted(request), .callEnded] {
                        observer.observe(event, of: call)
                    }
                }
            }
        }
        let timers = metrics.timers(label: "http.client.request.duration")
        #expect(timers.count == 1 && timers.first?.values.count == 50)
        #expect(metrics.meters(label: "http.client.active_requests").map(\.values.last) == [0])
    }
}

/// A backend that waits, while it makes its first instrument of a kind, for another thread.
final class AskingFactory: MetricsFactory {
    enum Kind: Sendable { case meter, timer }

    private let kind: Kind
    private let metrics = TestMetrics()
    private let work = Mutex<(@Sendable () -> Void)?>(nil)
    private let result = Mutex<Bool?>(nil)

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Whether the other thread came to its end meanwhile; nil if no instrument was made.
    var outcome: Bool? { self.result.withLock { $0 } }

    func whileMaking(_ work: @escaping @Sendable () -> Void) { self.work.withLock { $0 = work } }

    private func wait(_ kind: Kind) {
        guard kind == self.kind, let work = self.work.withLock({ $0.take() }) else { return }
        let end = Flag()
        Thread.detachNewThread {
            work()
            end.raise()
        }
        let deadline = ContinuousClock.now + .seconds(5)
        while !end.isRaised, ContinuousClock.now < deadline {}
        self.result.withLock { $0 = end.isRaised }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.metrics.makeCounter(label: label, dimensions: dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.wait(.meter)
        return self.metrics.makeMeter(label: label, dimensions: dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        self.metrics.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.wait(.timer)
        return self.metrics.makeTimer(label: label, dimensions: dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
