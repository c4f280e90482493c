// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import Testing

@testable import Bluebonnet

/// What observers learn of tasks and of the session's end.
@Suite(.timeLimit(.minutes(1))) struct TaskEventTests {
    private struct Observer: SessionObserver {
        let events: Recorder<String>

        func observe(_ event: CallEvent, of call: Call) {}

        func observe(_ event: TaskEvent, of task: any AnySessionTask) {
            switch event {
            case .resumed: self.events.record("resumed")
            case .suspended: self.events.record("suspended")
            case .fileSaved(let url): self.events.record("saved \(url.lastPathComponent)")
            case .fileNotSaved(let error): self.events.record("not saved: \(error.code)")
            case .completed(let completion):
                let what = completion.error.map { "\(($0 as? SessionError)?.code.description ?? "cancelled")" }
                self.events.record("completed: \(what ?? (completion.value == nil ? "nothing" : "a value"))")
            }
        }

        func observe(_ event: SessionEvent, of session: Session) { self.events.record("\(event)") }
    }

    private let events = Recorder<String>()
    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    private func session(_ transport: StubTransport) -> Session {
        var configuration = Session.Configuration()
        configuration.observers = [Observer(events: self.events)]
        return Session(configuration: configuration, transport: transport)
    }

    private func waitForEvents(_ count: Int) async {
        while self.events.elements.count < count { await Task.yield() }
    }

    @Test func `1.3.5 a change of state is told, a call without one is not`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let session = self.session(
            StubTransport { _ in
                for await _ in answers { break }
                return .plain("abc")
            }
        )
        let task = session.dataTask(with: self.request, serializer: .data)
        task.suspend()
        for action in [task.resume, task.resume, task.suspend, task.suspend, task.resume] { action() }
        continuation.yield()
        _ = try await task.value
        await self.waitForEvents(4)
        task.resume()
        task.suspend()
        task.cancel()
        #expect(self.events.elements == ["resumed", "suspended", "resumed", "completed: a value"])
    }

    @Test func `1.3.5 the end is told after the completion functions`() async throws {
        let session = self.session(StubTransport { _ in .plain("", status: 500) })
        let task = session.dataTask(with: self.request, serializer: .data)
        task.onCompletion { _ in self.events.record("function 1") }
        task.onCompletion { _ in self.events.record("function 2") }
        task.resume()
        await self.waitForEvents(4)
        #expect(self.events.elements == ["resumed", "function 1", "function 2", "completed: unacceptableStatus"])
    }

    @Test(.bug(id: "F449"))
    func `a task that is released before it was resumed runs its functions, and tells observers nothing`() async throws
    {
        let session = self.session(StubTransport { _ in .plain("abc") })
        do {
            let task = session.dataTask(with: self.request, serializer: .data)
            task.onCompletion { result in
                if case .failure(is CancellationError) = result { self.events.record("function") }
            }
        }
        await self.waitForEvents(1)
        // The session waits for the events of its tasks, and then tells its end.
        await session.shutdown()
        await self.waitForEvents(2)
        #expect(self.events.elements == ["function", "invalidated"])
    }

    @Test func `1.3.6 the end of a session is told once, after its last task`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { _ in
            for await _ in answers { break }
            return .plain("abc")
        }
        let session = self.session(transport)
        let (task, idle) = (
            session.dataTask(with: self.request, serializer: .data),
            session.dataTask(with: self.request, serializer: .data)
        )
        task.resume()
        while transport.requests.isEmpty { await Task.yield() }
        session.invalidate(cancellingTasks: false)
        #expect(self.events.elements == ["resumed", "completed: cancelled"])
        continuation.yield()
        _ = try await task.value
        withExtendedLifetime(idle) {}
        await session.shutdown()
        session.invalidate(cancellingTasks: true)
        await self.waitForEvents(4)
        #expect(
            self.events.elements == ["resumed", "completed: cancelled", "completed: a value", "invalidated"]
        )
    }

    @Test func `1.3.6 the end of a session without tasks is told, too`() async throws {
        let session = self.session(StubTransport())
        _ = try await session.response(for: self.request)
        session.invalidate(cancellingTasks: true)
        await self.waitForEvents(1)
        #expect(self.events.elements == ["invalidated"])
    }

    @Test func `1.3.4 a file that is saved and one that cannot be are told`() async throws {
        let directory = try TemporaryDirectory()
        let session = self.session(StubTransport { _ in .plain("abc") })
        let task = session.downloadTask(with: self.request, to: directory.file("file"))
        task.resume()
        _ = try await task.value
        await self.waitForEvents(3)
        let again = session.downloadTask(with: self.request, to: directory.file("file"))
        again.resume()
        await #expect(throws: SessionError.self) { try await again.value }
        await self.waitForEvents(6)
        #expect(
            self.events.elements == [
                "resumed", "saved file", "completed: a value",
                "resumed", "not saved: destinationExists", "completed: destinationExists",
            ]
        )
    }
}
