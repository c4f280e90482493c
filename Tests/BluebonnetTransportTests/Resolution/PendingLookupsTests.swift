// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import BluebonnetTransport

/// Lookups, and what does not wait for them.
@Suite(.timeLimit(.minutes(1))) struct PendingLookupsTests {
    /// A resolver that does not react to its cancellation, as the system's does not.
    private final class StubbornResolver: NameResolver {
        private let state = Mutex((asked: 0, isOpen: false, answered: 0))
        let isCancelled = Flag()

        var asked: Int { self.state.withLock { $0.asked } }
        var answered: Int { self.state.withLock { $0.answered } }

        func open() { self.state.withLock { $0.isOpen = true } }

        func waitUntilAsked() async {
            while self.state.withLock({ $0.asked }) == 0 { await Task.yield() }
        }

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            self.state.withLock { $0.asked += 1 }
            await withTaskCancellationHandler {
                while !self.state.withLock({ $0.isOpen }) { await Task.yield() }
            } onCancel: {
                self.isCancelled.raise()
            }
            self.state.withLock { $0.answered += 1 }
            return [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
        }
    }

    private static let origin = Origin(scheme: .http, host: "a.test", port: 1)

    private static func configuration(_ resolver: StubbornResolver) -> NIOTransport.Configuration {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.resolver = resolver
        return configuration
    }

    @Test(.bug(id: "F461")) func `a shutdown ends a lookup, and no result of it reaches the event loops`() async throws
    {
        let resolver = StubbornResolver()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let transport = NIOTransport(configuration: Self.configuration(resolver), eventLoopGroup: group)
        let exchange = Task { try await transport.exchange(TransportRequest(origin: Self.origin, target: "/")) }
        await resolver.waitUntilAsked()
        await transport.shutdown()
        #expect(transport.statistics.connecting == 0)
        #expect(resolver.isCancelled.isRaised)
        let error = await #expect(throws: TransportError.self) { try await exchange.value }
        #expect(error?.code == .shutDown)
        #expect(error?.phase == .resolve)
        try await group.shutdownGracefully()
        resolver.open()
        while resolver.answered == 0 { await Task.yield() }
    }

    @Test(.bug(id: "F783"), arguments: 0..<50)
    func `attempts to connect have ended when a shutdown returns`(run: Int) async throws {
        let resolver = StubbornResolver()
        let transport = NIOTransport(configuration: Self.configuration(resolver))
        let exchanges = (0..<10).map { number in
            let origin = Origin(scheme: .http, host: "\(number).test", port: 1)
            return Task { try await transport.exchange(TransportRequest(origin: origin, target: "/")) }
        }
        // The resolver is asked before the attempt waits for its answer.
        while resolver.asked <= run % exchanges.count { await Task.yield() }
        await transport.shutdown()
        #expect(transport.statistics.connecting == 0)
        resolver.open()
        for exchange in exchanges { await #expect(throws: TransportError.self) { _ = try await exchange.value } }
    }

    @Test(.bug(id: "F461"), arguments: [false, true])
    func `a graceful shutdown returns at its limit while a name is looked up`(callerIsCancelled: Bool) async throws {
        let resolver = StubbornResolver()
        let clock = ManualClock()
        var configuration = Self.configuration(resolver)
        configuration.clock = EngineClock(clock)
        let transport = NIOTransport(configuration: configuration)
        var request = TransportRequest(origin: Self.origin, target: "/")
        request.timeouts.resolve = nil
        let outgoing = request
        let exchange = Task { try await transport.exchange(outgoing) }
        await resolver.waitUntilAsked()
        if callerIsCancelled {
            exchange.cancel()
            _ = await exchange.result
        }
        let end = Task { () async throws -> Void in await transport.shutdown(within: .seconds(10)) }
        _ = await clock.advance(by: .seconds(1), until: end)
        #expect(transport.statistics.connecting == 0)
        await #expect(throws: (any Error).self) { try await exchange.value }
        resolver.open()
    }

    @Test(.bug(id: "F623")) func `a request that shares an attempt to connect has its own limits`() async throws {
        let (resolver, clock) = (StubbornResolver(), ManualClock())
        var configuration = Self.configuration(resolver)
        configuration.clock = EngineClock(clock)
        let transport = NIOTransport(configuration: configuration)
        var request = TransportRequest(origin: Origin(scheme: .https, host: "a.test", port: 1), target: "/")
        request.timeouts.idle = .seconds(20)
        let patient = Task { [request] in try await transport.exchange(request).status }
        await resolver.waitUntilAsked()
        request.timeouts.idle = .seconds(1)
        let impatient = Task { [request] in try await transport.exchange(request).status }
        while transport.statistics.waiting < 2 { await Task.yield() }
        await clock.advance(by: .seconds(3))
        let error = await #expect(throws: TransportError.self) { _ = try await impatient.value }
        #expect(error?.code == .timedOut && error?.phase == .connect)
        #expect(transport.statistics.waiting == 1)
        patient.cancel()
        _ = await patient.result
        await transport.shutdown()
        resolver.open()
    }

    @Test(.bug(id: "F462")) func `warming up that is cancelled ends at once, and the connection is made`() async throws
    {
        let resolver = StubbornResolver()
        try await TestServer.withServer { server async throws in
            let transport = NIOTransport(configuration: Self.configuration(resolver))
            let origin = Origin(scheme: .http, host: "a.test", port: server.port)
            let warming = Task { try await transport.warmUp(origin) }
            await resolver.waitUntilAsked()
            warming.cancel()
            await #expect(throws: CancellationError.self) { try await warming.value }
            resolver.open()
            while transport.statistics.idle == 0 { await Task.yield() }
            await transport.shutdown()
        }
    }

    @Test(.bug(id: "F618")) func `connections that need the same name share its lookup`() async throws {
        let (lookups, resolver) = (PendingLookups(), StubbornResolver())
        let target = PendingLookups.Target(host: "a.test", port: 80)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let found = (0..<5).map { _ in loop.makePromise(of: [SocketAddress].self) }
        for promise in found {
            _ = lookups.join(target, promise) { try await resolver.addresses(of: "a.test", port: 80) }
        }
        await resolver.waitUntilAsked()
        resolver.open()
        for promise in found { #expect(try await promise.futureResult.get().count == 1) }
        #expect(resolver.asked == 1)
        #expect(lookups.close().isEmpty)
    }

    @Test(.bug(id: "F618")) func `each waits for its own limit, and the lookup ends with the last one`() async throws {
        let lookups = PendingLookups()
        let target = PendingLookups.Target(host: "a.test", port: 80)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let (resolver, late) = (StubbornResolver(), TransportError(.timedOut, phase: .resolve, reason: "late"))
        let found = (0..<3).map { _ in loop.makePromise(of: [SocketAddress].self) }
        func join(_ promise: EventLoopPromise<[SocketAddress]>) -> PendingLookups.Waiter {
            lookups.join(target, promise) { try await resolver.addresses(of: "a.test", port: 80) }
        }
        let first = [join(found[0]), join(found[1])]
        await resolver.waitUntilAsked()
        lookups.leave(first[0], with: late)
        await #expect(throws: late) { try await found[0].futureResult.get() }
        #expect(!resolver.isCancelled.isRaised)
        // The first lookup may hang, so that one who comes now does not wait for it.
        let last = join(found[2])
        while resolver.asked < 2 { await Task.yield() }
        lookups.leave(first[1], with: late)
        await #expect(throws: late) { try await found[1].futureResult.get() }
        while !resolver.isCancelled.isRaised { await Task.yield() }
        resolver.open()
        #expect(try await found[2].futureResult.get().count == 1)
        lookups.leave(last, with: late)
        #expect(lookups.close().isEmpty)
    }

    @Test(.bug(id: "F461")) func `a lookup after the end fails without a question`() async throws {
        let lookups = PendingLookups()
        let found = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: [SocketAddress].self)
        #expect(lookups.close().isEmpty)
        _ = lookups.join(PendingLookups.Target(host: "a.test", port: 80), found) {
            Issue.record("the resolver is asked")
            return []
        }
        let error = await #expect(throws: TransportError.self) { try await found.futureResult.get() }
        #expect(error?.code == .shutDown)
    }
}
