// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

/// The tasks of a session that ends.
@Suite(.timeLimit(.minutes(1))) struct SessionEndTaskTests {
    private let clock = ManualSessionClock()
    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    @Test(arguments: [false, true])
    func `invalidating cancels tasks or lets them end`(_ cancelling: Bool) async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { _ in
            for await _ in answers { break }
            try Task.checkCancellation()
            return TransportResponse(status: .ok)
        }
        let session = self.clock.session(transport)
        let task = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        let idle = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        task.resume()
        while transport.requests.isEmpty { await Task.yield() }
        session.invalidate(cancellingTasks: cancelling)
        await #expect(throws: CancellationError.self) { try await idle.value }
        if cancelling {
            await #expect(throws: CancellationError.self) { try await task.value }
        } else {
            continuation.yield()
            #expect(try await task.value.isEmpty)
        }
        let late = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await late.value }
        #expect(session.tasks.isEmpty)
    }

    @Test(.bug(id: "F422"), arguments: 0..<4)
    func `a task made after the end fails with shutDown`(_ way: Int) async throws {
        let session = self.clock.session(StubTransport { _ in .plain("abc") })
        switch way {
        case 0: await session.shutdown()
        case 1: await session.shutdown(within: .seconds(10))
        default: session.invalidate(cancellingTasks: way == 2)
        }
        let (api, directory) = (HTTPSession(session: session), try TemporaryDirectory())
        let call = try api.prepare(.get, self.request.url)
        let task = call.task()
        task.resume()
        #expect(task.state == .completed)
        let error = await #expect(throws: SessionError.self) { try await task.value }
        #expect(error?.code == .shutDown)
        #expect(error?.request?.method == .get)
        let download = call.downloadTask(to: directory.file("a"))
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await download.value }
        let (results, continuation) = AsyncStream.makeStream(of: Result<EmptyBody, any Error>.self)
        api.start(.get, self.request.url, as: EmptyBody.self) { continuation.yield($0) }
        var iterator = results.makeAsyncIterator()
        let result = try #require(await iterator.next())
        #expect(throws: SessionError(.shutDown, reason: "")) { try result.get() }
        #expect(session.tasks.isEmpty)
    }

    /// Resumed, and not begun: what was resumed before the end goes on to its own.
    @Test(arguments: [nil, 1], [false, true])
    func `tasks that were resumed just before the end are sent`(_ limit: Int?, _ isGraceful: Bool) async throws {
        let transport = StubTransport { _ in TransportResponse(status: .ok) }
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        configuration.maximumConcurrentRequests = limit
        let session = Session(configuration: configuration, transport: transport)
        let tasks = (0..<20).map { _ in session.dataTask(with: self.request, serializer: HTTPResponseSerializer()) }
        for task in tasks { task.resume() }
        if isGraceful {
            await session.shutdown(within: .seconds(10))
        } else {
            session.invalidate(cancellingTasks: false)
        }
        for task in tasks { #expect(try await task.value.isEmpty) }
        await session.admission.drain()
        #expect(session.admission.counts == (0, 0))
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await session.response(for: self.request) }
    }

    /// Ends the session while it is told that a task was resumed.
    private final class EndingObserver: SessionObserver {
        let events = Recorder<String>()
        let session = Mutex<Session?>(nil)

        func observe(_ event: CallEvent, of call: Call) {}

        func observe(_ event: TaskEvent, of task: any AnySessionTask) {
            switch event {
            case .resumed:
                self.events.record("resumed")
                self.session.withLock { $0 }?.invalidate(cancellingTasks: false)
            case .completed(let completion): self.events.record(completion.error == nil ? "value" : "error")
            default: break
            }
        }

        func observe(_ event: SessionEvent, of session: Session) { self.events.record("\(event)") }
    }

    private func session(_ observer: EndingObserver, answeringAfter latch: Latch? = nil) -> Session {
        var configuration = Session.Configuration()
        configuration.observers = [observer]
        let transport = StubTransport { _ in
            await latch?.wait()
            return .plain("abc")
        }
        return Session(configuration: configuration, transport: transport)
    }

    @Test(.bug(id: "F399")) func `a task is held before its observers learn that it was resumed`() async throws {
        let observer = EndingObserver()
        let session = self.session(observer)
        observer.session.withLock { $0 = session }
        let task = session.dataTask(with: self.request, serializer: .data)
        task.resume()
        #expect(try await task.value == Data("abc".utf8))
        while observer.events.elements.count < 3 { await Task.yield() }
        #expect(observer.events.elements == ["resumed", "value", "invalidated"])
        observer.session.withLock { $0 = nil }
    }

    @Test(.bug(id: "F399")) func `a repeated resumption holds the session no longer than the task`() async throws {
        let observer = EndingObserver()
        let latch = Latch()
        let session = self.session(observer, answeringAfter: latch)
        let task = session.dataTask(with: self.request, serializer: .data)
        for action in [task.resume, task.resume, task.suspend, task.resume, task.resume] { action() }
        latch.open()
        _ = try await task.value
        for action in [task.resume, task.cancel, task.resume] { action() }
        session.invalidate(cancellingTasks: false)
        while observer.events.elements.last != "invalidated" { await Task.yield() }
        #expect(observer.events.elements == ["resumed", "resumed", "value", "invalidated"])
    }

    @Test(.bug(id: "F399"), arguments: [false, true])
    func `the end of a task that is cancelled or resumed at that moment is told before that of its session`(
        _ isResumed: Bool
    ) async {
        let isOver = await ThreadRace.ends(rounds: 50) { _ in
            let observer = EndingObserver()
            let session = self.session(observer)
            let task = session.dataTask(with: self.request, serializer: .data)
            return (
                {
                    if isResumed { task.resume() } else { task.cancel() }
                    while observer.events.elements.count < (isResumed ? 3 : 2) {
                        // A task that the end was faster to cancel is never resumed.
                        if observer.events.elements == ["error", "invalidated"] { break }
                    }
                    #expect(observer.events.elements.last == "invalidated", "\(observer.events.elements)")
                },
                { session.invalidate(cancellingTasks: false) }
            )
        }
        #expect(isOver)
    }
}
