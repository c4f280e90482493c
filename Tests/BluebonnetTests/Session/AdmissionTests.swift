// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct AdmissionTests {
    /// Waits until the admission counts as many requests as it should.
    private static func wait(for admission: Admission, waiting: Int) async {
        while admission.counts.waiting != waiting { await Task.yield() }
    }

    @Test func `lets everyone in without a limit`() async throws {
        let admission = Admission(limit: nil)
        for _ in 0..<100 { #expect(try await admission.enter(within: nil) == nil) }
    }

    @Test func `lets no more in than the limit, in the order they came`() async throws {
        let admission = Admission(limit: 1)
        let first = try #require(try await admission.enter(within: nil))
        let order = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    let permit = try await admission.enter(within: .seconds(60))
                    order.record(number)
                    permit?.release()
                }
                await Self.wait(for: admission, waiting: number + 1)
            }
            #expect(admission.counts.active == 1)
            first.release()
            first.release()
            try await group.waitForAll()
        }
        #expect(order.elements == Array(0..<10))
        #expect(admission.counts.active == 0)
    }

    @Test func `takes a place back from a permit that is dropped`() async throws {
        let admission = Admission(limit: 1)
        for _ in 0..<3 { _ = try await admission.enter(within: nil) }
        #expect(admission.counts.active == 0)
    }

    @Test func `gives up when the time is over`() async throws {
        let admission = Admission(limit: 1)
        let permit = try await admission.enter(within: nil)
        let error = await #expect(throws: SessionError.self) { try await admission.enter(within: .milliseconds(1)) }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .queue)
        #expect(error?.isRequestSent == false)
        #expect(admission.counts == (1, 0))
        permit?.release()
    }

    @Test func `lets a cancelled task go and keeps its place for others`() async throws {
        let admission = Admission(limit: 1)
        let permit = try await admission.enter(within: nil)
        let task = Task { try await admission.enter(within: .seconds(60)) }
        await Self.wait(for: admission, waiting: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(admission.counts == (1, 0))
        permit?.release()
        #expect(try await admission.enter(within: nil) != nil)
    }

    @Test func `turns everyone away once it is closed`() async throws {
        let admission = Admission(limit: 1)
        let permit = try await admission.enter(within: nil)
        let task = Task { try await admission.enter(within: .seconds(60)) }
        await Self.wait(for: admission, waiting: 1)
        admission.close()
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await task.value }
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await admission.enter(within: nil) }
        permit?.release()
    }

    @Test func `never loses a place to a race`() async throws {
        let admission = Admission(limit: 3)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let task = Task { try await admission.enter(within: .seconds(60))?.release() }
                    if number % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(admission.counts == (0, 0))
    }
}
