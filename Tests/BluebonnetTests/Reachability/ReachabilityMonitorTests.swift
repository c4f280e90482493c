// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore
import TestSupport
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct ReachabilityMonitorTests {
    @Test func `1.6 statuses have AFNetworking's numbers and names`() {
        #expect(ReachabilityStatus.allCases.map(\.rawValue) == [-1, 0, 1, 2])
        #expect(
            ReachabilityStatus.allCases.map(\.description)
                == ["Unknown", "Not Reachable", "Reachable via WWAN", "Reachable via WiFi"]
        )
        #expect(ReachabilityStatus.allCases.map(\.isReachable) == [false, false, true, true])
    }

    @Test func `1.6 nothing is watched before the start, and the status is unknown`() {
        let system = FakeSystem(.reachableViaWiFi)
        let monitor = ReachabilityMonitor(.network, probe: system)
        #expect(monitor.status == .unknown)
        #expect(!monitor.isReachable)
        #expect(system.runCount == 0)
        monitor.start()
        monitor.start()
        #expect(system.runCount == 1)
    }

    @Test func `1.6 the first status is always told, then each that differs, in their order, to every reader`() async {
        let system = FakeSystem(.notReachable)
        let monitor = ReachabilityMonitor(.network, probe: system)
        var early = monitor.statuses.makeAsyncIterator()
        monitor.start()
        #expect(await early.next() == .notReachable)
        var late = monitor.statuses.makeAsyncIterator()
        #expect(await late.next() == .notReachable, "one who comes later is told the current one")
        for status in [.reachableViaWWAN, .reachableViaWWAN, .reachableViaWiFi, .notReachable] as [ReachabilityStatus] {
            let isNew = status != monitor.status
            system.become(status)
            if isNew {
                #expect(await early.next() == status)
                #expect(await late.next() == status)
            }
        }
        #expect(monitor.status == .notReachable)
    }

    @Test func `1.6 a stop ends the sequences and keeps the status; a start begins anew`() async {
        let system = FakeSystem(.reachableViaWiFi)
        let monitor = ReachabilityMonitor(.network, probe: system)
        var reader = monitor.statuses.makeAsyncIterator()
        monitor.start()
        #expect(await reader.next() == .reachableViaWiFi)
        monitor.stop()
        #expect(await reader.next() == nil)
        #expect(monitor.status == .reachableViaWiFi)
        var again = monitor.statuses.makeAsyncIterator()
        system.become(.notReachable)
        monitor.start()
        #expect(await again.next() == .notReachable, "not the status of the run before")
        #expect(system.runCount == 2)
    }

    @Test func `1.6 copies are the same monitor, which ends with the last of them`() async {
        let system = FakeSystem(.reachableViaWiFi)
        do {
            let monitor = ReachabilityMonitor(.host("a.test"), probe: system)
            let copy = monitor
            copy.start()
            var reader = monitor.statuses.makeAsyncIterator()
            #expect(await reader.next() == .reachableViaWiFi)
            #expect(copy.status == .reachableViaWiFi)
            copy.stop()
            #expect(await reader.next() == nil)
            monitor.start()
        }
        while system.endedCount < 2 { await Task.yield() }
    }

    @Test func `1.6 a reader keeps the monitor alive`() async {
        let system = FakeSystem(.reachableViaWiFi)
        func reader() -> AsyncStream<ReachabilityStatus>.Iterator {
            let monitor = ReachabilityMonitor(.network, probe: system)
            monitor.start()
            return monitor.statuses.makeAsyncIterator()
        }
        var statuses = reader()
        #expect(await statuses.next() == .reachableViaWiFi)
        system.become(.notReachable)
        #expect(await statuses.next() == .notReachable)
    }

    @Test func `waiting for a route ends with the route, with the time, or with the task`() async throws {
        let system = FakeSystem(.notReachable)
        let monitor = ReachabilityMonitor(.network, probe: system)
        let clock = ManualSessionClock()
        async let first = monitor.waitForRoute(within: .seconds(5), clock: clock.clock)
        await clock.waitForSleeps(1)
        system.become(.reachableViaWWAN)
        #expect(try await first)
        #expect(try await monitor.waitForRoute(within: .seconds(5), clock: clock.clock), "it is there already")

        system.become(.notReachable)
        let sleeps = ManualSessionClock()
        async let second = monitor.waitForRoute(within: .seconds(5), clock: sleeps.clock)
        await sleeps.waitForSleeps(1)
        sleeps.advance(by: .seconds(5))
        #expect(try await second == false)

        let task = Task { try await monitor.waitForRoute() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        while system.endedCount < system.runCount { await Task.yield() }
        // One who ends to wait does not end it for another.
        let (brief, long) = (ManualSessionClock(), ManualSessionClock())
        async let third = monitor.waitForRoute(within: .seconds(1), clock: brief.clock)
        async let fourth = monitor.waitForRoute(within: .seconds(5), clock: long.clock)
        await brief.waitForSleeps(1)
        await long.waitForSleeps(1)
        brief.advance(by: .seconds(1))
        #expect(try await third == false)
        system.become(.reachableViaWiFi)
        #expect(try await fourth)
        while system.endedCount < system.runCount { await Task.yield() }
        let unknown = ReachabilityMonitor(.network, probe: FakeSystem(.unknown))
        #expect(try await unknown.waitForRoute(), "nobody waits for what will never be told")
    }

    @Test(.bug(id: "F290")) func `the end of a wait for a route ends no sequence, and no status is told twice`()
        async throws
    {
        let system = FakeSystem(.reachableViaWiFi)
        let monitor = ReachabilityMonitor(.network, probe: system)
        var early = monitor.statuses.makeAsyncIterator()
        #expect(try await monitor.waitForRoute())
        while system.endedCount < 1 { await Task.yield() }
        #expect(await early.next() == .reachableViaWiFi)
        monitor.start()
        var late = monitor.statuses.makeAsyncIterator()
        #expect(await late.next() == .reachableViaWiFi)
        system.become(.notReachable)
        #expect(await early.next() == .notReachable)
        monitor.stop()
        #expect(await early.next() == nil)
    }

    @Test func `a stop ends the wait for a route, however soon it comes`() async throws {
        let system = FakeSystem(.notReachable)
        let monitor = ReachabilityMonitor(.network, probe: system)
        for count in 1...300 {
            async let isThere = monitor.waitForRoute()
            while system.runCount < count { await Task.yield() }
            monitor.stop()
            #expect(try await isThere == (monitor.status != .notReachable))
        }
    }

    @Test func `a storm of starts, stops and readers ends`() async {
        let system = FakeSystem(.reachableViaWiFi)
        let monitor = ReachabilityMonitor(.network, probe: system)
        await withTaskGroup(of: Void.self) { readers in
            for _ in 0..<50 {
                readers.addTask { for await _ in monitor.statuses.prefix(2) {} }
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<150 {
                    group.addTask {
                        switch number % 3 {
                        case 0: monitor.start()
                        case 1: monitor.stop()
                        default: system.become(number.isMultiple(of: 2) ? .notReachable : .reachableViaWiFi)
                        }
                    }
                }
            }
            readers.cancelAll()
        }
        monitor.stop()
        while system.endedCount < system.runCount { await Task.yield() }
    }

    #if os(Linux)
    /// Remembers the names that are looked up, and finds none.
    private struct AskedResolver: NameResolver {
        let names: Recorder<String>

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            self.names.record(host)
            return []
        }
    }

    @Test(
        .bug(id: "F199"),
        arguments: [
            ("my_service", "my_service"), ("B\u{FC}cher.example", "xn--bcher-kva.example"), ("a.test.", "a.test"),
            ("192.0.2.1", nil), ("::1", nil), ("", nil), (".", nil),
        ] as [(String, String?)]
    )
    func `a name is looked up whether or not a certificate can be for it`(_ host: String, _ name: String?) async {
        let names = Recorder<String>()
        let probe = SystemRouteProbe(.host(host), AskedResolver(names: names))
        _ = await probe.status()
        #expect(names.elements == (name.map { [$0] } ?? []))
    }
    #endif

    @Test(.bug(id: "F151")) func `a change and the cancellation of a reader do not wait for each other`() async {
        let hasEnded = await ThreadRace.ends(rounds: 300) { round in
            let system = FakeSystem(.notReachable)
            let monitor = ReachabilityMonitor(.network, probe: system)
            let (statuses, known) = AsyncStream.makeStream(of: Void.self)
            let reader = Task {
                for await _ in monitor.statuses { known.yield() }
            }
            monitor.start()
            for await _ in statuses { break }
            // The change takes some microseconds to reach the reader.
            let delay = Duration.microseconds(round % 64)
            return (
                { system.become(.reachableViaWiFi) },
                {
                    let begun = ContinuousClock.now
                    while ContinuousClock.now - begun < delay {}
                    reader.cancel()
                }
            )
        }
        #expect(hasEnded)
    }
}
