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

@Suite(.timeLimit(.minutes(1)), .bug(id: "F706")) struct AssistedLookupTests {
    private struct Failure: Error {}

    /// A resolver whose lookups of both families end when a test says so, and do not react to their cancellation.
    private final class HangingResolver: AssistedNameResolver {
        let (isAsked, isOpen) = (Flag(), Flag())
        let assistedCount = Mutex(0)
        private let ipv4: Result<[SocketAddress], any Error>

        init(ipv4: Result<[SocketAddress], any Error>) { self.ipv4 = ipv4 }

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            self.isAsked.raise()
            while !self.isOpen.isRaised { await Task.yield() }
            return [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
        }

        func ipv4Addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            self.assistedCount.withLock { $0 += 1 }
            return try self.ipv4.get()
        }
    }

    private static func run(
        _ resolver: HangingResolver,
        on server: TestServer,
        _ body: (NIOTransport, ManualClock, TransportRequest) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.resolver = resolver
        configuration.clock = EngineClock(clock)
        try await NIOTransport.running(configuration) { transport in
            let origin = Origin(scheme: .http, host: "a.test", port: server.port)
            var request = TransportRequest(origin: origin, target: "/status/204")
            // The clock runs faster than the exchange.
            request.timeouts.idle = nil
            try await body(transport, clock, request)
        }
        resolver.isOpen.raise()
    }

    @Test func `while a lookup hangs, the addresses of IPv4 are used`() async throws {
        try await TestServer.withServer { server in
            let address = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
            let resolver = HangingResolver(ipv4: .success([address]))
            try await Self.run(resolver, on: server) { transport, clock, request in
                let exchange = Task { try await transport.exchange(request).status }
                while !resolver.isAsked.isRaised { await Task.yield() }
                let result = await clock.advance(by: .milliseconds(100), until: exchange)
                let status = try result.get()
                #expect(status == .noContent)
                #expect(resolver.assistedCount.withLock { $0 } == 1)
            }
        }
    }

    @Test(arguments: [true, false]) func `a host without IPv4 is waited for`(_ fails: Bool) async throws {
        try await TestServer.withServer { server in
            let resolver = HangingResolver(ipv4: fails ? .failure(Failure()) : .success([]))
            try await Self.run(resolver, on: server) { transport, clock, request in
                let exchange = Task { try await transport.exchange(request).status }
                while !resolver.isAsked.isRaised { await Task.yield() }
                while resolver.assistedCount.withLock({ $0 }) == 0 {
                    await clock.advance(by: .seconds(1))
                    await Task.yield()
                }
                resolver.isOpen.raise()
                let status = try await exchange.value
                #expect(status == .noContent)
            }
        }
    }

    @Test func `a lookup in time is not assisted`() async throws {
        try await TestServer.withServer { server in
            let address = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
            let resolver = HangingResolver(ipv4: .success([address]))
            try await Self.run(resolver, on: server) { transport, clock, request in
                let exchanges = (0..<3).map { _ in Task { try await transport.exchange(request).status } }
                while transport.statistics.waiting < 3 { await Task.yield() }
                await clock.advance(by: .milliseconds(999))
                #expect(resolver.assistedCount.withLock { $0 } == 0)
                resolver.isOpen.raise()
                for exchange in exchanges {
                    let status = try await exchange.value
                    #expect(status == .noContent)
                }
                #expect(resolver.assistedCount.withLock { $0 } == 0)
            }
        }
    }

    @Test func `one assistant is enough for a lookup, and ends with it`() async throws {
        let lookups = PendingLookups()
        let target = PendingLookups.Target(host: "a.test", port: 80)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let found = loop.makePromise(of: [SocketAddress].self)
        let count = Mutex(0)
        let (isCancelled, isOver) = (Flag(), Flag())
        let waiter = lookups.join(target, found) {
            while !isOver.isRaised { await Task.yield() }
            return []
        }
        for _ in 0..<2 {
            lookups.assist(waiter) {
                count.withLock { $0 += 1 }
                while !Task.isCancelled { await Task.yield() }
                isCancelled.raise()
                throw Failure()
            }
        }
        while count.withLock({ $0 }) == 0 { await Task.yield() }
        let late = TransportError(.timedOut, phase: .resolve, reason: "late")
        lookups.leave(waiter, with: late)
        await #expect(throws: late) { try await found.futureResult.get() }
        while !isCancelled.isRaised { await Task.yield() }
        #expect(count.withLock { $0 } == 1)
        isOver.raise()
    }
}
