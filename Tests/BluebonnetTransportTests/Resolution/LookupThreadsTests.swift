// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Dispatch
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import BluebonnetTransport

/// Lookups that hang, and those beside them.
@Suite(.timeLimit(.minutes(1))) struct LookupThreadsTests {
    /// Lookups that block their threads until it is opened.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let entered = Atomic(0)

        var count: Int { self.entered.load(ordering: .relaxed) }

        func open() { for _ in 0..<self.count { self.semaphore.signal() } }

        /// Starts lookups, and returns when they block.
        func hang(_ count: Int, on threads: LookupThreads) async -> [Task<Void, Never>] {
            let before = self.count
            let tasks = (0..<count).map { number in
                Task {
                    _ = try? await threads.run(for: "hangs\(number).test") {
                        self.entered.add(1, ordering: .relaxed)
                        self.semaphore.wait()
                        return []
                    }
                }
            }
            while self.count < before + count { await Task.yield() }
            return tasks
        }
    }

    private static let found = try? SocketAddress(ipAddress: "127.0.0.1", port: 80)

    @Test(.bug(id: "F618"), arguments: [false, true])
    func `lookups that hang do not delay another one, whether or not they are cancelled`(isCancelled: Bool) async throws
    {
        let (threads, gate) = (LookupThreads(limit: 40), Gate())
        let hanging = await gate.hang(30, on: threads)
        if isCancelled { for task in hanging { task.cancel() } }
        #expect(try await threads.run(for: "a.test") { [Self.found].compactMap { $0 } }.count == 1)
        gate.open()
        for task in hanging { await task.value }
        #expect(await Patience.holds { threads.count <= 8 }, "idle threads end")
        #expect(try await threads.run(for: "a.test") { [Self.found].compactMap { $0 } }.count == 1)
    }

    @Test(.bug(id: "F618"))
    func `at the limit a lookup waits for a thread and says so, and a cancelled one is removed`() async throws {
        let (threads, gate) = (LookupThreads(limit: 3), Gate())
        let hanging = await gate.hang(3, on: threads)
        let cancelled = Task {
            try await threads.run(for: "b.test") {
                Issue.record("a cancelled lookup runs")
                return []
            }
        }
        while !threads.isQueued("b.test") { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(!threads.isQueued("b.test"))
        let waiting = Task { try await threads.run(for: "c.test") { [] } }
        while !threads.isQueued("c.test") { await Task.yield() }
        #expect(NameLookup.late("c.test", .seconds(10), on: threads).reason.contains("waited for others"))
        #expect(NameLookup.late("b.test", .seconds(10), on: threads).reason.contains("took longer"))
        gate.open()
        #expect(try await waiting.value.isEmpty)
        for task in hanging { await task.value }
        #expect(threads.count == 3)
    }

    @Test(.bug(id: "F705"))
    func `a lookup without a thread fails, or waits for the thread of another one`() async throws {
        let free = Mutex(0)
        let threads = LookupThreads(limit: 4) { work in
            let isFree = free.withLock { free in
                defer { free -= 1 }
                return free > 0
            }
            return isFree && SystemThread.startDetached(work)
        }
        let error = await #expect(throws: TransportError.self) { try await threads.run(for: "a.test") { [] } }
        #expect(error?.code == .nameResolutionFailed)
        #expect(error?.reason == "the host a.test could not be looked up: no thread can be started")
        free.withLock { $0 = 1 }
        let gate = Gate()
        let hanging = await gate.hang(1, on: threads)
        let waiting = Task { try await threads.run(for: "b.test") { [Self.found].compactMap { $0 } } }
        while !threads.isQueued("b.test") { await Task.yield() }
        gate.open()
        #expect(try await waiting.value.count == 1)
        for task in hanging { await task.value }
        #expect(threads.count == 1)
    }
}
