// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport

@testable import Bluebonnet

/// Random operations over one session, several at a time, most of them cancelled at a random moment.
final class Storm: Sendable {
    private struct State {
        var next = 0
        /// The tasks that have not found another operation.
        var workerCount = Storm.width
        var open: [Int: StormHandle] = [:]
        var faults: [String] = []
        var tally: [String: Int] = [:]
    }

    /// How many operations are under way at a time.
    private static let width = 24

    private let scene: StormScene
    private let seed: UInt64
    private let count: Int
    private let state = Mutex(State())

    init(_ scene: StormScene, seed: UInt64, count: Int) {
        (self.scene, self.seed, self.count) = (scene, seed, count)
    }

    /// What ended otherwise than it may.
    var faults: [String] { self.state.withLock { $0.faults } }

    /// How many operations ended in which way.
    var tally: [String: Int] { self.state.withLock { $0.tally } }

    /// What has not ended, and what it did last.
    var open: [String] {
        self.state.withLock { state in
            state.open.values.sorted { $0.number < $1.number }.map { "\($0.number) \($0.operation): \($0.step)" }
        }
    }

    /// Does all of it.
    ///
    /// - Parameter limit: How long it may take.
    /// - Returns: Whether everything has ended.
    func run(within limit: Duration) async -> Bool {
        for _ in 0..<Self.width {
            // Not a group, which would wait for an operation that never ends.
            Task {
                while let (handle, course) = self.begin() { await self.work(handle, course) }
                self.state.withLock { $0.workerCount -= 1 }
            }
        }
        return await Patience.holds(within: limit) { self.state.withLock { $0.workerCount } == 0 }
    }

    private func random(_ number: Int) -> SeededGenerator {
        var generator = SeededGenerator(seed: self.seed &+ UInt64(number) &* 0x9E37_79B9)
        _ = generator.next()
        return generator
    }

    /// Every operation has numbers of its own, whatever the others do.
    private func begin() -> (StormHandle, StormCourse)? {
        let number = self.state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        guard number < self.count else { return nil }
        var random = self.random(number)
        let operation = StormOperation.allCases.randomElement(using: &random) ?? .get
        let cancellers = StormCancellers(&random)
        let handle = StormHandle(number, operation, cancelledAfterEvent: cancellers.event)
        self.state.withLock { $0.open[number] = handle }
        return (handle, StormCourse(scene: self.scene, handle: handle, cancellers: cancellers, random: random))
    }

    private func work(_ handle: StormHandle, _ course: StormCourse) async {
        let task = Task {
            var course = course
            try await course.run()
        }
        handle.onCancel { task.cancel() }
        course.cancellers.start(on: handle)
        let outcome = self.judge(await task.result, handle)
        self.state.withLock { state in
            state.open[handle.number] = nil
            state.tally[outcome.name, default: 0] += 1
            if let fault = outcome.fault { state.faults.append("\(handle.number) \(handle.operation): \(fault)") }
        }
    }

    private func judge(_ result: Result<Void, any Error>, _ handle: StormHandle) -> (name: String, fault: String?) {
        switch result {
        case .success: ("value", nil)
        case .failure(is CancellationError): ("cancelled", handle.isCancelled ? nil : "cancelled by nobody")
        case .failure(let error as SessionError):
            ("\(error.code)", handle.operation.mayFail(with: error) ? nil : "\(error), \(error.phase as Any)")
        case .failure(let error): ("\(error)", "\(error)")
        }
    }
}
