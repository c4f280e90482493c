// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// What an observer is told of a cancelled exchange, wherever it was, and when.
@Suite(.timeLimit(.minutes(1))) struct CancellationEventTests {
    /// What the exchange waits for when it is cancelled.
    enum Wait: CaseIterable {
        case nothing, place, connection, response, body
    }

    /// Waits, when it is told of the cancellation, until the call that cancels has returned.
    private final class PatientObserver: TransportObserver {
        let isCancelling = Flag()
        let wasCalledWithin = Flag()
        private let recorded = Mutex([String]())

        var names: [String] { self.recorded.withLock { $0 } }

        func observe(_ event: TransportEvent, of exchange: ExchangeID) {
            if event.name == "cancelled" {
                let deadline = ContinuousClock.now + .seconds(2)
                while self.isCancelling.isRaised, ContinuousClock.now < deadline {}
                if self.isCancelling.isRaised { self.wasCalledWithin.raise() }
            }
            self.recorded.withLock { $0.append(event.name) }
        }
    }

    @Test(.bug(id: "F154"), arguments: Wait.allCases)
    func `an observer is not called within the call that cancels, and is told once, at the end`(
        _ wait: Wait
    ) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            engine.server.respond(to: "/hang") { _ in ScriptedResponse(effect: .stall(.beforeResponse)) }
            engine.server.respond(to: "/body") { _ in
                ScriptedResponse(body: .pattern(1000), effect: .stall(.afterBody(100)))
            }
            try await DeafListener.run { port in
                let observer = PatientObserver()
                var request = engine.request(.get, wait == .body ? "/body" : "/hang", streamed: wait == .body)
                if wait == .connection {
                    request.origin = Origin(scheme: .http, host: "127.0.0.1", port: port)
                }
                var first: Task<Void, any Error>?
                if wait == .place {
                    first = Task { [request] in _ = try await engine.transport.exchange(request) }
                    _ = try await engine.server.takeRequest()
                }
                request.observer = observer
                let start = Flag()
                let task = Task { [request] in
                    while wait == .nothing, !start.isRaised { await Task.yield() }
                    let body = try await engine.transport.exchange(request).body
                    _ = try await body.collect(upTo: 1000)
                }
                switch wait {
                case .nothing: break
                case .place: while engine.transport.statistics.waiting == 0 { await Task.yield() }
                case .connection: while engine.transport.statistics.connecting == 0 { await Task.yield() }
                case .response: _ = try await engine.server.takeRequest()
                case .body: while !observer.names.contains("responseBodyStarted") { await Task.yield() }
                }
                observer.isCancelling.raise()
                task.cancel()
                observer.isCancelling.lower()
                start.raise()
                await #expect(throws: CancellationError.self) { try await task.value }
                // The connection of an exchange under way reports it, on its event loop.
                let isTold = await Patience.holds { observer.names.contains("cancelled") }
                #expect(isTold)
                first?.cancel()
                while engine.transport.statistics.inFlight > 0 { await Task.yield() }
                #expect(observer.names.filter { ["ended", "failed", "cancelled"].contains($0) } == ["cancelled"])
                #expect(observer.names.last == "cancelled")
                #expect(!observer.wasCalledWithin.isRaised)
            }
        }
    }
}
