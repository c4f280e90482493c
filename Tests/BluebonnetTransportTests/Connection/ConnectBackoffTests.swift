// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import BluebonnetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The back-off after failed attempts to connect, over sockets and under a clock that is turned by hand.
@Suite(.timeLimit(.minutes(1))) struct ConnectBackoffTests {
    /// Finds no address until it is told to.
    private final class Names: NameResolver {
        private let state = Mutex((isThere: false, count: 0))

        var count: Int { self.state.withLock { $0.count } }

        func appear() { self.state.withLock { $0.isThere = true } }

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            let isThere = self.state.withLock { state in
                state.count += 1
                return state.isThere
            }
            return isThere ? [try SocketAddress(ipAddress: "127.0.0.1", port: port)] : []
        }
    }

    /// Changes of the network, as bytes in a pipe.
    private final class Changes: Sendable {
        private let pipes = Mutex([(input: CInt, output: CInt)]())

        var count: Int { self.pipes.withLock { $0.count } }

        func open() -> CInt? {
            var ends: [CInt] = [0, 0]
            guard pipe(&ends) == 0 else { return nil }
            self.pipes.withLock { $0.append((ends[0], ends[1])) }
            return ends[0]
        }

        func happen() {
            for pipe in self.pipes.withLock({ $0 }) { _ = write(pipe.output, "x", 1) }
        }

        deinit {
            for pipe in self.pipes.withLock({ $0 }) { close(pipe.output) }
        }
    }

    private struct World {
        let clock: ManualClock
        let names: Names
        let transport: NIOTransport
        let request: TransportRequest

        /// Starts exchanges, and waits until all of them wait for a connection.
        func startWaiting(_ count: Int) async -> [Task<TransportResponse, any Error>] {
            let tasks = (0..<count).map { _ in Task { try await self.transport.exchange(self.request) } }
            while self.transport.statistics.waiting < count { await Task.yield() }
            return tasks
        }
    }

    private static func run(
        changes: NetworkChanges = NetworkChanges { nil },
        _ change: (inout TransportRequest) -> Void = { _ in },
        _ body: (World) async throws -> Void
    ) async throws {
        try await TestServer.withServer { server in
            let (clock, names) = (ManualClock(), Names())
            var configuration = NIOTransport.Configuration()
            configuration.clock = EngineClock(clock)
            configuration.resolver = names
            configuration.proxy = .direct
            configuration.networkChanges = changes
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .http, host: "example.test", port: server.port)
            var request = TransportRequest(origin: origin, target: "/status/204")
            change(&request)
            let world = World(clock: clock, names: names, transport: transport, request: request)
            let result: Result<Void, any Error>
            do { result = .success(try await body(world)) } catch { result = .failure(error) }
            await transport.shutdown()
            try result.get()
        }
    }

    private static func expectNoAddress(_ work: () async throws -> TransportResponse) async {
        let error = await #expect(throws: TransportError.self) { try await work() }
        #expect(error?.code == .nameResolutionFailed)
    }

    @Test func `a failure is reported at once, and those that come next share one attempt after the delay`()
        async throws
    {
        try await Self.run { (world: World) async throws in
            await Self.expectNoAddress { try await world.transport.exchange(world.request) }
            #expect(world.names.count == 1)
            let tasks = await world.startWaiting(40)
            await world.clock.advance(by: .milliseconds(49))
            #expect(world.names.count == 1, "no delay is shorter than half of its length")
            await world.clock.advance(by: .milliseconds(51))
            for task in tasks { await Self.expectNoAddress { try await task.value } }
            #expect(world.names.count == 2)
        }
    }

    @Test(.bug(id: "F531")) func `a mistake in the options of TLS holds nothing back`() async throws {
        try await Self.run { request in
            request.origin.scheme = .https
            request.clientIdentity = .pem(certificates: .file("/nonexistent.pem"))
        } _: { (world: World) async throws in
            // The clock stands: what is held back waits for ever.
            for _ in 0..<3 {
                let error = await #expect(throws: TransportError.self) {
                    try await world.transport.exchange(world.request)
                }
                #expect(error?.code == .tlsFailed)
            }
            #expect(world.names.count == 0)
        }
        #expect(TransportError.closedInHandshake.countsForBackoff)
    }

    @Test func `a server that is there again serves all that wait, and the next one at once`() async throws {
        try await Self.run { (world: World) async throws in
            await Self.expectNoAddress { try await world.transport.exchange(world.request) }
            world.names.appear()
            let tasks = await world.startWaiting(20)
            await world.clock.advance(by: .milliseconds(100))
            for task in tasks { #expect(try await task.value.status.code == 204) }
            #expect(try await world.transport.exchange(world.request).status.code == 204)
        }
    }

    @Test func `no request is held back for longer than half of its limit for connecting`() async throws {
        try await Self.run { request in
            request.timeouts.connect = .milliseconds(20)
        } _: { (world: World) async throws in
            await Self.expectNoAddress { try await world.transport.exchange(world.request) }
            let tasks = await world.startWaiting(3)
            await world.clock.advance(by: .milliseconds(9))
            #expect(world.names.count == 1)
            await world.clock.advance(by: .milliseconds(1))
            for task in tasks { await Self.expectNoAddress { try await task.value } }
            #expect(world.names.count == 2)
        }
    }

    @Test func `a change of the network ends every wait`() async throws {
        let changes = Changes()
        try await Self.run(changes: NetworkChanges { changes.open() }) { (world: World) async throws in
            await Self.expectNoAddress { try await world.transport.exchange(world.request) }
            world.names.appear()
            let tasks = await world.startWaiting(5)
            // The engine begins to listen after it has told of the failure.
            while changes.count == 0 { await Task.yield() }
            changes.happen()
            for task in tasks { #expect(try await task.value.status.code == 204) }
            #expect(world.clock.elapsed == .zero)
        }
        #expect(changes.count == 1)
    }

    @Test func `the kernel has a socket that tells of changes`() throws {
        #if os(Linux)
        let descriptor = try #require(NetworkChanges.system.open())
        NetworkChanges.system.close(descriptor)
        #endif
    }

    @Test func `a connection that is asked for by name is tried at once`() async throws {
        try await Self.run { (world: World) async throws in
            await Self.expectNoAddress { try await world.transport.exchange(world.request) }
            world.names.appear()
            try await world.transport.warmUp(world.request.origin)
            #expect(try await world.transport.exchange(world.request).status.code == 204)
        }
    }

    @Test func `an engine that is shut down at leisure tries what it holds back`() async throws {
        try await Self.run { (world: World) async throws in
            await Self.expectNoAddress { try await world.transport.exchange(world.request) }
            world.names.appear()
            let tasks = await world.startWaiting(2)
            let end = Task { await world.transport.shutdown(within: .seconds(30)) }
            await world.clock.advance(by: .milliseconds(100))
            for task in tasks { #expect(try await task.value.status.code == 204) }
            await end.value
        }
    }

    /// Begins to shut an engine down at leisure, and waits until it refuses what is new; a program may do something when the task of the
    /// shutdown is cancelled.
    private static func beginEnd(
        of world: World,
        onCancel: @escaping @Sendable () -> Void = {}
    ) async -> Task<Void, Never> {
        let end = Task {
            await withTaskCancellationHandler {
                await world.transport.shutdown(within: .seconds(30))
            } onCancel: {
                onCancel()
            }
        }
        while true {
            let probe = Task { try await world.transport.exchange(world.request) }
            for _ in 0..<10 { await Task.yield() }
            // One that came before the end waits, and is taken back.
            probe.cancel()
            do { _ = try await probe.value } catch {
                if (error as? TransportError)?.code == .shutDown { return end }
            }
        }
    }

    @Test(.bug(id: "F56"), arguments: [false, true])
    func `an engine that holds requests back is shut down when they are cancelled, or its end is cut`(
        isCut: Bool
    ) async throws {
        try await Self.run { (world: World) async throws in
            await Self.expectNoAddress { try await world.transport.exchange(world.request) }
            let tasks = await world.startWaiting(3)
            let end = await Self.beginEnd(of: world)
            // The clock stands: nothing but this can end the wait.
            if isCut { end.cancel() } else { for task in tasks { task.cancel() } }
            for task in tasks {
                let error = await #expect(throws: (any Error).self) { try await task.value }
                #expect(isCut ? (error as? TransportError)?.code == .shutDown : error is CancellationError)
            }
            await end.value
            #expect(world.clock.elapsed == .zero)
        }
    }

    /// A lock of the program, which it takes to cancel a request, and when its own task is cancelled.
    private final class ProgramLock: Sendable {
        let mutex = Mutex(())
        let isWanted = Flag()
    }

    @Test(.bug(id: "F154")) func `an end and the request that it waits for may be cancelled at the same moment`()
        async throws
    {
        for _ in 0..<20 {
            try await Self.run { (world: World) async throws in
                await Self.expectNoAddress { try await world.transport.exchange(world.request) }
                let request = await world.startWaiting(1)[0]
                let lock = ProgramLock()
                let end = await Self.beginEnd(of: world) {
                    lock.isWanted.raise()
                    lock.mutex.withLock { _ in }
                }
                let hasEnded = await ThreadRace.ends(rounds: 1, within: .seconds(5)) { _ in
                    (
                        {
                            lock.mutex.withLock { _ in
                                while !lock.isWanted.isRaised {}
                                request.cancel()
                            }
                        },
                        { end.cancel() }
                    )
                }
                try #require(hasEnded)
                await end.value
            }
        }
    }

    @Test func `a request that is cancelled while it is held back leaves at once`() async throws {
        try await Self.run { (world: World) async throws in
            await Self.expectNoAddress { try await world.transport.exchange(world.request) }
            let task = await world.startWaiting(1)[0]
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(world.transport.statistics.waiting == 0)
            await world.clock.advance(by: .milliseconds(100))
            #expect(world.names.count == 1)
        }
    }
}
