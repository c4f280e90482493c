// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionEndTests {
    private let clock = ManualSessionClock()
    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    private func session(_ transport: StubTransport) -> Session {
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        return Session(configuration: configuration, transport: transport)
    }

    @Test func `a graceful end waits for calls under way`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { _ in
            for await _ in answers { break }
            return TransportResponse(status: .accepted)
        }
        let session = self.session(transport)
        let call = Task { try await session.response(for: self.request) }
        while transport.requests.isEmpty { await Task.yield() }
        let end = Task { await session.shutdown(within: .seconds(10)) }
        await self.clock.waitForSleeps(1)
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await session.response(for: self.request) }
        continuation.yield()
        #expect(try await call.value.status == .accepted)
        await end.value
        #expect(session.admission.counts == (0, 0))
    }

    @Test func `a graceful end waits no longer than its limit`() async throws {
        let transport = StubTransport { _ in try await untilCancelled() }
        let session = self.session(transport)
        let task = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        let idle = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        task.resume()
        while transport.requests.isEmpty { await Task.yield() }
        let end = Task { await session.shutdown(within: .seconds(10)) }
        await self.clock.waitForSleeps(1)
        await #expect(throws: CancellationError.self) { try await idle.value }
        #expect(task.state == .running)
        self.clock.advance(by: .seconds(10))
        await end.value
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [false, true])
    func `invalidating cancels tasks or lets them end`(_ cancelling: Bool) async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { _ in
            for await _ in answers { break }
            try Task.checkCancellation()
            return TransportResponse(status: .ok)
        }
        let session = self.session(transport)
        let task = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        let idle = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        task.resume()
        while transport.requests.isEmpty { await Task.yield() }
        session.invalidate(cancelling: cancelling)
        await #expect(throws: CancellationError.self) { try await idle.value }
        if cancelling {
            await #expect(throws: CancellationError.self) { try await task.value }
        } else {
            continuation.yield()
            #expect(try await task.value.isEmpty)
        }
        let late = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(session.tasks.isEmpty)
    }
}
