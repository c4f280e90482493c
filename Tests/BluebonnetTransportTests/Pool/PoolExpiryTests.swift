// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import BluebonnetTransport

/// Connections that a timer should have closed: it does not run while the process is stopped.
@Suite(.timeLimit(.minutes(1))) struct PoolExpiryTests {
    typealias State = PoolStateTests.State
    typealias FakeConnection = PoolStateTests.FakeConnection
    typealias FakeRequest = PoolStateTests.FakeRequest

    /// A clock without timers.
    private final class TimerlessClock: ManualTime {
        private let start = NIODeadline.now()
        private let elapsed = Mutex(TimeAmount.zero)

        var now: NIODeadline { self.start + self.elapsed.withLock { $0 } }

        func advance(by amount: TimeAmount) { self.elapsed.withLock { $0 = $0 + amount } }

        func schedule(
            at deadline: NIODeadline,
            on eventLoop: any EventLoop,
            _ action: @escaping @Sendable () -> Void
        ) -> @Sendable () -> Void {
            {}
        }
    }

    enum Limit: CaseIterable, Sendable {
        case idle, age
    }

    static let key = PoolKey(origin: Origin(scheme: .https, host: "example.com"))
    static let now = NIODeadline.uptimeNanoseconds(1_000)

    /// A state whose limits are 60 s.
    static func makeState(_ limit: Limit) -> State {
        var rules = State.Rules(maximumPerKey: 2)
        rules.idleTimeout = limit == .idle ? .seconds(60) : .hours(1)
        rules.maximumAge = limit == .age ? .seconds(60) : nil
        return State(rules: rules) { $0.isWanted }
    }

    static func submit(_ number: Int, to state: inout State, at seconds: Int64) -> String {
        let now = self.now + .seconds(seconds)
        return PoolStateTests.name(state.submit(FakeRequest(number), key: self.key, now: now) { _ in nil })
    }

    @Test(.bug(id: "F616"), arguments: Limit.allCases, [false, true])
    func `a connection that has expired is closed and not leased`(_ limit: Limit, isShared: Bool) {
        var state = Self.makeState(limit)
        let connection = FakeConnection()
        #expect(Self.submit(0, to: &state, at: 0) == "connect")
        _ = state.connected(connection, key: Self.key, isShared: isShared, capacity: isShared ? 9 : 1, now: Self.now)
        #expect(state.release(connection, now: Self.now).closes == false)
        #expect(Self.submit(1, to: &state, at: 59) == "start")
        _ = state.release(connection, now: Self.now)
        #expect(state.takeExpired().isEmpty)
        #expect(Self.submit(2, to: &state, at: 60) == "connect")
        #expect(state.takeExpired().map(ObjectIdentifier.init) == [ObjectIdentifier(connection)])
        #expect(state.takeExpired().isEmpty)
        #expect(state.statistics.idle == 0)
    }

    @Test(.bug(id: "F616")) func `a shared connection of its age finishes its exchanges, and takes no more`() {
        var state = Self.makeState(.age)
        let connection = FakeConnection()
        #expect(Self.submit(0, to: &state, at: 0) == "connect")
        _ = state.connected(connection, key: Self.key, isShared: true, capacity: 9, now: Self.now)
        #expect(Self.submit(1, to: &state, at: 60) == "connect")
        #expect(state.takeExpired().isEmpty, "it carries an exchange")
        #expect(state.release(connection, now: Self.now + .seconds(60)).closes)
    }

    @Test(
        .bug(id: "F714"),
        arguments: [
            (nil, 60), (.seconds(4), 4), (.seconds(99), 60), (.seconds(0), 0),
        ] as [(TimeAmount?, Int64)]
    )
    func `a connection is idle for no longer than its server allows`(_ limit: TimeAmount?, seconds: Int64) {
        var state = Self.makeState(.idle)
        let connection = FakeConnection()
        #expect(Self.submit(0, to: &state, at: 0) == "connect")
        _ = state.connected(connection, key: Self.key, now: Self.now)
        _ = state.release(connection, idleLimit: limit, now: Self.now)
        #expect(state.scheduleSweep() == Self.now + .seconds(seconds))
        #expect(state.sweep(now: Self.now + .seconds(seconds) - .nanoseconds(1)).connections.isEmpty)
        #expect(Self.submit(1, to: &state, at: seconds) == "connect")
    }

    @Test(.bug(id: "F714"), arguments: ["timeout=5, max=100", "max=7,TIMEOUT=5"])
    func `the limit that a server announces is kept, also when its last response has none`(
        _ field: String
    ) async throws {
        let clock = TimerlessClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        try await Engine.run(engine: configuration) { (engine: Engine) async throws in
            let headers = HTTPFields([HTTPField(name: .keepAlive, value: field)])
            engine.server.enqueue(ScriptedResponse(headers: headers), ScriptedResponse(), ScriptedResponse())
            for pause in [3, 4, 0] {
                #expect(try await engine.send(engine.request(.post, "/")).status == 200)
                clock.advance(by: .seconds(Int64(pause)))
            }
            #expect(engine.transport.statistics.opened == 2, "only the second pause was too long")
        }
    }

    @Test(.bug(id: "F616")) func `after a pause without timers the next request gets a new connection`() async throws {
        let clock = TimerlessClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        try await Engine.run(engine: configuration) { (engine: Engine) async throws in
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            clock.advance(by: .seconds(61))
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            #expect(engine.transport.statistics.opened == 2)
            try await engine.server.waitForConnections { $0.open == 1 }
        }
    }
}
