// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// An observer that cancels the task whose exchange it is told of, on the event loop and in the middle of what that does.
@Suite(.timeLimit(.minutes(1))) struct ObserverCancellationTests {
    private final class CancellingObserver: TransportObserver {
        private let name: String
        private let task = Mutex<Task<Bool, Never>?>(nil)

        init(on name: String) { self.name = name }

        func attach(_ task: Task<Bool, Never>) { self.task.withLock { $0 = task } }

        func observe(_ event: TransportEvent, of exchange: ExchangeID) {
            guard event.name == self.name else { return }
            self.task.withLock { $0 }?.cancel()
        }
    }

    static let events = [
        "started", "connectionAcquired", "requestHeadStarted", "requestHeadEnded", "requestBodyStarted",
        "requestBodyEnded",
        "responseHeadStarted", "responseHeadEnded", "responseBodyStarted", "responseBodyEnded", "connectionReleased",
        "ended",
    ]

    @Test(arguments: events, [false, true]) func `an observer may cancel at any event of HTTP 1 1`(
        _ name: String,
        _ streamed: Bool
    ) async throws {
        try await Engine.run { (engine: Engine) async throws in
            for _ in 0..<2 { engine.server.enqueue(ScriptedResponse(body: "hello")) }
            let body = TransportBody.bytes(ByteBuffer(string: "body"))
            let request = engine.request(.put, "/", body: body, streamed: streamed)
            await Self.cancel(request, on: name, engine.transport)
            #expect(try await engine.transport.exchange(engine.request(.get, "/")).status == .ok)
        }
    }

    @Test(arguments: events, [false, true]) func `an observer may cancel at any event of HTTP 2`(
        _ name: String,
        _ streamed: Bool
    ) async throws {
        try await HTTP2Server.run { (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.bytes(ByteBuffer(string: "body"))
            var request = TransportRequest(method: .post, origin: origin, target: "/echo", body: body)
            if streamed { request.responseMode = .streamed }
            await Self.cancel(request, on: name, transport)
            let again = TransportRequest(method: .post, origin: origin, target: "/echo", body: body)
            #expect(try await transport.exchange(again).status == .ok)
        }
    }

    /// Sends a request whose observer cancels it; whether that comes in time does not matter, only that it ends.
    private static func cancel(_ request: TransportRequest, on name: String, _ transport: NIOTransport) async {
        let observer = CancellingObserver(on: name)
        var observed = request
        observed.observer = observer
        let outgoing = observed
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in gate {}
            do {
                _ = try await transport.exchange(outgoing).body.collect(upTo: 100)
                return true
            } catch {
                return error is CancellationError
            }
        }
        observer.attach(task)
        open.finish()
        #expect(await task.value)
    }
}
