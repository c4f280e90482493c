// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionTaskTests {
    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    private func task(
        _ body: [ScriptedBody.Step],
        length: Int64? = nil
    ) -> (DataTask<Data>, ScriptedBody, StubTransport) {
        let source = ScriptedBody(body)
        let transport = StubTransport { _ in
            TransportResponse(status: .ok, body: ResponseBody(source: source, expectedLength: length))
        }
        let session = Session(transport: transport)
        return (session.dataTask(with: self.request, serializer: HTTPResponseSerializer()), source, transport)
    }

    @Test func `sends nothing before it is resumed`() async throws {
        let (task, _, transport) = self.task([.text("abc")])
        #expect(task.state == .suspended)
        #expect(transport.requests.isEmpty)
        task.suspend()
        task.resume()
        task.resume()
        #expect(try await task.value == Data("abc".utf8))
        #expect(task.state == .completed)
        #expect(transport.requests.count == 1)
        task.resume()
        task.suspend()
        task.cancel()
        #expect(task.state == .completed)
        #expect(try await task.value == Data("abc".utf8))
    }

    @Test func `gives its tasks ascending numbers`() {
        let session = Session(transport: StubTransport())
        let ids = (0..<5).map { _ in session.dataTask(with: self.request, serializer: HTTPResponseSerializer()).id }
        #expect(ids == [1, 2, 3, 4, 5])
    }

    @Test func `is over at once when it is cancelled before it starts`() async throws {
        let (task, _, transport) = self.task([.text("abc")])
        task.cancel()
        #expect(task.state == .completed)
        await #expect(throws: CancellationError.self) { try await task.value }
        task.resume()
        #expect(transport.requests.isEmpty)
        #expect(task.downloadProgress.isFinished)
    }

    @Test func `ends with a cancellation while it waits for the body`() async throws {
        let (task, source, _) = self.task([.text("abc"), .hang])
        task.resume()
        for await progress in task.downloadProgress where progress.completed == 3 { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(task.state == .completed)
        #expect(source.readCount == 2)
    }

    @Test func `stops to read while it is suspended, and goes on`() async throws {
        let tasks = Recorder<DataTask<Data>>()
        let source = ScriptedBody(Array(repeating: .bytes(10), count: 5)) { count in
            if count == 2 { tasks.elements.first?.suspend() }
        }
        let transport = StubTransport { _ in
            TransportResponse(status: .ok, body: ResponseBody(source: source, expectedLength: 50))
        }
        let task = Session(transport: transport).dataTask(with: self.request, serializer: HTTPResponseSerializer())
        tasks.record(task)
        task.resume()
        for await progress in task.downloadProgress where progress.completed == 20 { break }
        // The read in which it was suspended came to its end; nothing follows, however long it is given.
        for _ in 0..<1000 { await Task.yield() }
        #expect(task.state == .suspended)
        #expect(source.readCount == 2)
        task.resume()
        #expect(try await task.value.count == 50)
        #expect(task.downloadProgress.current == TransferProgress(completed: 50, total: 50))
    }

    @Test func `can be cancelled while it is suspended`() async throws {
        let (task, _, _) = self.task([.bytes(1), .hang])
        task.resume()
        task.suspend()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `ends the wait of a cancelled waiter and goes on itself`() async throws {
        let (task, _, _) = self.task([.bytes(7)])
        let waiter = Task { try await task.value }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(task.state == .suspended)
        task.resume()
        #expect(try await task.value.count == 7)
        // A value that is there is given to a cancelled waiter, too.
        let late = Task {
            try? await untilCancelled()
            return try await task.value.count
        }
        late.cancel()
        #expect(try await late.value == 7)
    }

    @Test func `calls back once, whether it is asked before or after the end`() async throws {
        let (task, _, _) = self.task([.bytes(7)])
        let calls = Recorder<Bool>()
        let called = AsyncStream.makeStream(of: Int.self)
        task.onCompletion { result in
            calls.record(true)
            called.continuation.yield((try? result.get().count) ?? -1)
        }
        task.resume()
        var iterator = called.stream.makeAsyncIterator()
        #expect(await iterator.next() == 7)
        task.onCompletion { _ in calls.record(true) }
        #expect(calls.elements.count == 2)
    }

    @Test func `is cancelled with its session`() async throws {
        let transport = StubTransport { _ in try await untilCancelled() }
        let session = Session(transport: transport)
        let task = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        let late = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        task.resume()
        while transport.requests.isEmpty { await Task.yield() }
        #expect(session.tasks.map(\.id) == [task.id, late.id])
        await session.shutdown()
        await #expect(throws: CancellationError.self) { try await task.value }
        // A task that was never resumed ends, too.
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(session.tasks.isEmpty)
    }

    @Test func `survives any order of calls from any thread`() async {
        for _ in 0..<200 {
            let (task, _, _) = self.task(Array(repeating: .bytes(1), count: 20))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask { task.resume() }
                    group.addTask { task.suspend() }
                    group.addTask { _ = task.state }
                }
                group.addTask { task.onCompletion { _ in } }
            }
            task.resume()
            let count = try? await task.value.count
            #expect(count == 20)
        }
    }
}
