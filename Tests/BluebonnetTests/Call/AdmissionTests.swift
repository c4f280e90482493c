// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct AdmissionTests {
    /// Waits until as many calls wait as should.
    private static func wait(for admission: Admission, waiting: Int) async {
        while admission.counts.waiting != waiting { await Task.yield() }
    }

    /// Enters, and waits for a place where there is none.
    private static func enter(_ admission: Admission) async throws {
        if case .full = try admission.enter(isNested: false, isUnderWay: false) {
            try await admission.wait(until: nil, clock: .system)
        }
    }

    @Test func `lets every call in without a limit, and counts them`() throws {
        let admission = Admission(limit: nil)
        for _ in 0..<100 { #expect(try admission.enter(isNested: false, isUnderWay: false) == .free) }
        #expect(admission.counts == (100, 0))
        for _ in 0..<100 { admission.leave() }
        #expect(admission.counts == (0, 0))
    }

    @Test func `lets no more calls in than the limit, in the order they came`() async throws {
        let admission = Admission(limit: 1)
        try await Self.enter(admission)
        let order = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    try await Self.enter(admission)
                    order.record(number)
                    admission.leave()
                }
                await Self.wait(for: admission, waiting: number + 1)
            }
            #expect(admission.counts.active == 1)
            admission.leave()
            try await group.waitForAll()
        }
        #expect(order.elements == Array(0..<10))
        #expect(admission.counts == (0, 0))
    }

    @Test func `lets a nested call in beyond the limit, and gives its place to nobody`() async throws {
        let admission = Admission(limit: 1)
        try await Self.enter(admission)
        let waiting = Task { try await Self.enter(admission) }
        await Self.wait(for: admission, waiting: 1)
        #expect(try admission.enter(isNested: true, isUnderWay: false) == .free)
        admission.leave()
        #expect(admission.counts == (1, 1))
        admission.leave()
        try await waiting.value
        #expect(admission.counts == (1, 0))
    }

    @Test func `gives up at its limit`() async throws {
        let admission = Admission(limit: 1)
        try await Self.enter(admission)
        #expect(try admission.enter(isNested: false, isUnderWay: false) == .full)
        let late = SessionError(.timedOut, reason: "late", phase: .queue)
        let error = await #expect(throws: SessionError.self) {
            try await admission.wait(until: (SessionClock.system.now, { late }), clock: .system)
        }
        #expect(error?.reason == "late")
        #expect(admission.counts == (1, 0))
    }

    /// Runs each task where it is made, so that the timer is over before the call waits.
    private final class ImmediateExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    @Test func `gives up at a limit that is reached before it waits`() async throws {
        let admission = Admission(limit: 1)
        try await Self.enter(admission)
        let now = SessionClock.Instant.now
        let clock = SessionClock(now: { now }, sleep: { _ in })
        let late = SessionError(.timedOut, reason: "late", phase: .queue)
        await #expect(throws: SessionError.self) {
            try await withTaskExecutorPreference(ImmediateExecutor()) {
                try await admission.wait(until: (now, { late }), clock: clock)
            }
        }
        #expect(admission.counts == (1, 0))
    }

    @Test func `lets a cancelled task go and keeps its place for others`() async throws {
        let admission = Admission(limit: 1)
        try await Self.enter(admission)
        let task = Task { try await Self.enter(admission) }
        await Self.wait(for: admission, waiting: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(admission.counts == (1, 0))
        admission.leave()
        #expect(try admission.enter(isNested: false, isUnderWay: false) == .free)
    }

    @Test(.bug(id: "F252")) func `passes over cancelled calls, and keeps the order of the others`() async throws {
        let admission = Admission(limit: 1)
        try await Self.enter(admission)
        let order = Recorder<Int>()
        var calls: [Task<Void, any Error>] = []
        for number in 0..<200 {
            calls.append(
                Task {
                    try await Self.enter(admission)
                    order.record(number)
                    admission.leave()
                }
            )
            await Self.wait(for: admission, waiting: number + 1)
        }
        for (number, call) in calls.enumerated() where number % 10 != 0 { call.cancel() }
        await Self.wait(for: admission, waiting: 20)
        admission.leave()
        for call in calls { _ = await call.result }
        #expect(order.elements == Array(stride(from: 0, to: 200, by: 10)))
        #expect(admission.counts == (0, 0))
    }

    @Test(.bug(id: "F780")) func `keeps the calls that are in the queue while it drains, and refuses others`()
        async throws
    {
        let admission = Admission(limit: 1)
        try await Self.enter(admission)
        var calls: [Task<Void, any Error>] = []
        for number in 0..<10 {
            calls.append(Task { try await Self.enter(admission) })
            await Self.wait(for: admission, waiting: number + 1)
        }
        admission.close(isDraining: true)
        #expect(throws: SessionError(.shutDown, reason: "")) { try admission.enter(isNested: false, isUnderWay: false) }
        #expect(try admission.enter(isNested: false, isUnderWay: true) == .full)
        #expect(admission.counts == (1, 10))
        let drained = Task { await admission.drain() }
        for _ in 0..<11 { admission.leave() }
        for call in calls { try await call.value }
        await drained.value
        #expect(admission.counts == (0, 0))
    }

    @Test func `refuses every call once it is closed`() async throws {
        let admission = Admission(limit: 1)
        try await Self.enter(admission)
        let task = Task { try await Self.enter(admission) }
        await Self.wait(for: admission, waiting: 1)
        admission.close(isDraining: false)
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await task.value }
        #expect(throws: SessionError(.shutDown, reason: "")) { try admission.enter(isNested: true, isUnderWay: false) }
        #expect(admission.counts == (1, 0))
    }

    @Test func `waits until the last call has left, or until it is cancelled`() async throws {
        let admission = Admission(limit: nil)
        await admission.drain()
        for _ in 0..<2 { try await Self.enter(admission) }
        let cancelled = Task { await admission.drain() }
        let drained = Task { await admission.drain() }
        cancelled.cancel()
        await cancelled.value
        admission.leave()
        #expect(admission.counts.active == 1)
        admission.leave()
        await drained.value
    }

    @Test func `never loses a place to a race`() async throws {
        let admission = Admission(limit: 3)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let task = Task {
                        try await Self.enter(admission)
                        admission.leave()
                    }
                    if number % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(admission.counts == (0, 0))
    }
}
