// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import TestSupport
import Testing

@testable import Bluebonnet

@Suite(.serialized, .timeLimit(.minutes(2))) struct SleepQueueTests {
    static func moment(_ seconds: Int) -> SessionClock.Instant {
        SessionClock.Instant.now.advanced(by: .seconds(3600 + seconds))
    }

    @Test(.bug(id: "F931")) func `waits that were cancelled leave nothing behind`() {
        var schedule = SleepSchedule<Int>()
        for id in 1...10_000 as ClosedRange<UInt64> {
            _ = schedule.add(Int(id), id, until: Self.moment(0))
            #expect(schedule.remove(id) == Int(id))
            #expect(schedule.storedCount < 32)
        }
        #expect(schedule.count == 0)
    }

    @Test(.bug(id: "F931")) func `many waits are cancelled in little memory, long before their moments`() async {
        func cancel(_ count: Int) async {
            for _ in 0..<count {
                let task = Task { try await SessionClock.system.sleep(for: .seconds(3600)) }
                await Task.yield()
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
        await cancel(1_000)
        let before = ResidentMemory.byteCount()
        await cancel(40_000)
        // A timer of each would take 28 MB.
        #expect(ResidentMemory.byteCount() - before < 10_000_000)
    }

    /// The waits as seconds, the alarms that they need, and the waits that end early.
    @Test(
        arguments: [
            ([10], [10], []), ([10, 20, 30], [10], []), ([30, 20, 10], [30, 20, 10], []),
            ([20, 10, 30, 10], [20, 10], []),
            ([10, 20], [10], [0]), ([20, 10], [20, 10], [1]), ([10, 10, 10], [10], [1]),
        ] as [([Int], [Int], [Int])]
    )
    func `one alarm serves all waits that are not shorter`(_ waits: [Int], _ alarms: [Int], _ cancelled: [Int]) {
        let start = Self.moment(0)
        var schedule = SleepSchedule<Int>()
        var pending: [SessionClock.Instant] = []
        for (id, wait) in waits.enumerated() {
            if let alarm = schedule.add(wait, UInt64(id), until: start.advanced(by: .seconds(wait))) {
                pending.append(alarm)
            }
        }
        #expect(pending == alarms.map { start.advanced(by: .seconds($0)) })
        for id in cancelled { #expect(schedule.remove(UInt64(id)) == waits[id]) }
        var woken: [Int] = []
        while let alarm = pending.min() {
            pending.removeAll { $0 == alarm }
            let (due, next) = schedule.wake(by: alarm, at: alarm)
            woken += due
            if let next { pending.append(next) }
        }
        #expect(woken == waits.enumerated().filter { !cancelled.contains($0.offset) }.map(\.element).sorted())
        #expect(schedule.count == 0 && schedule.storedCount == 0)
    }

    @Test(arguments: 0..<20) func `every wait ends once, at its moment or with its cancellation`(_ seed: UInt64) {
        var random = Random(seed: seed)
        let start = Self.moment(0)
        var (schedule, alarms, open) = (SleepSchedule<Int>(), [SessionClock.Instant](), [UInt64: Int]())
        var time = 0
        for id in 0..<500 as Range<UInt64> {
            switch random.next() % 4 {
            case 0, 1:
                let end = time + 1 + Int(random.next() % 50)
                open[id] = end
                if let alarm = schedule.add(end, id, until: start.advanced(by: .seconds(end))) { alarms.append(alarm) }
            case 2:
                guard let id = open.keys.sorted().randomElement(using: &random) else { continue }
                #expect(schedule.remove(id) == open.removeValue(forKey: id))
                #expect(schedule.remove(id) == nil)
            default:
                time += Int(random.next() % 20)
                let now = start.advanced(by: .seconds(time))
                while let alarm = alarms.min(), alarm <= now {
                    alarms.removeAll { $0 == alarm }
                    let (due, next) = schedule.wake(by: alarm, at: now)
                    #expect(due == due.sorted())
                    for end in due {
                        let id = open.first { $0.value == end }?.key
                        #expect(id != nil && end <= time)
                        if let id { open[id] = nil }
                    }
                    if let next { alarms.append(next) }
                }
                #expect(open.values.allSatisfy { $0 > time })
            }
            #expect(schedule.count == open.count)
        }
    }

    @Test func `an alarm that is early is set again`() {
        let start = Self.moment(0)
        var schedule = SleepSchedule<Int>()
        #expect(schedule.add(1, 1, until: start) == start)
        let (due, next) = schedule.wake(by: start, at: start.advanced(by: .nanoseconds(-1)))
        #expect(due.isEmpty && next == start)
    }

    @Test func `a wait ends at its moment, in the past at once, and not in a cancelled task`() async throws {
        let clock = SessionClock.system
        for delay in [-1, 0, 1, 20] {
            let end = clock.now.advanced(by: .milliseconds(delay))
            try await clock.sleep(until: end)
            #expect(clock.now >= end)
        }
        for delay in [-1, 3600] {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await clock.sleep(for: .seconds(delay))
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}

/// Numbers that look random, the same for each seed.
private struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed &+ 1 }

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self.state >> 33
    }
}
