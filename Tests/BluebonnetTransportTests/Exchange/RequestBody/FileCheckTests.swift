// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Dispatch
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import BluebonnetTransport

/// The check of a body's file, which waits for a thread.
@Suite(.timeLimit(.minutes(1))) struct FileCheckTests {
    /// Blocks every thread on which files are read, for the length of a piece of code.
    private static func blockingThreads(_ body: () async throws -> Void) async throws {
        let gate = DispatchSemaphore(value: 0)
        let entered = Mutex(0)
        let count = NIOSingletons.blockingPoolThreadCountSuggestion
        for _ in 0..<count {
            NIOThreadPool.singleton.submit { _ in
                entered.withLock { $0 += 1 }
                gate.wait()
            }
        }
        defer { for _ in 0..<count { gate.signal() } }
        while entered.withLock({ $0 }) < count { await Task.yield() }
        try await body()
    }

    @Test(.bug(id: "F615"), arguments: [false, true])
    func `the total limit and a cancellation end the wait for the check of a file`(isCancelled: Bool) async throws {
        let file = try FileBodyTests.File(byteCount: 1)
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        try await Engine.run(engine: configuration) { (engine: Engine) async throws in
            var request = engine.request(.put, "/", body: .file(FileBody(path: file.path, byteCount: 1)))
            request.timeouts.total = .seconds(1)
            try await Self.blockingThreads {
                let exchange = Task { [request] in try await engine.send(request).status }
                if isCancelled {
                    exchange.cancel()
                    await #expect(throws: CancellationError.self) { try await exchange.value }
                } else {
                    let result = await clock.advance(by: .milliseconds(100), until: exchange)
                    let error = #expect(throws: TransportError.self) { _ = try result.get() }
                    #expect(error?.code == .timedOut && error?.phase == .total && error?.isRequestSent == false)
                }
            }
            engine.server.enqueue(ScriptedResponse())
            request.timeouts.total = nil
            #expect(try await engine.send(request).status == 200)
            #expect(engine.server.totalConnections == 1, "nothing was sent for the first one")
        }
    }
}
