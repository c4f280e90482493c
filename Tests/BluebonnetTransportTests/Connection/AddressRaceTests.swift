// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Testing

@testable import BluebonnetTransport

/// Several addresses of one host (RFC 8305).
@Suite(.timeLimit(.minutes(1))) struct AddressRaceTests {
    struct Order: CustomTestStringConvertible, Sendable {
        var found: [String]
        var tried: [String]
        var testDescription: String { self.found.joined(separator: " ") }
    }

    static let orders: [Order] = [
        Order(found: [], tried: []),
        Order(found: ["::1"], tried: ["::1"]),
        Order(found: ["::1", "::2", "127.0.0.1"], tried: ["::1", "127.0.0.1", "::2"]),
        Order(found: ["127.0.0.1", "127.0.0.2", "::1", "::2"], tried: ["127.0.0.1", "::1", "127.0.0.2", "::2"]),
        Order(found: ["127.0.0.1", "::1", "::2", "::3"], tried: ["127.0.0.1", "::1", "::2", "::3"]),
    ]

    @Test(arguments: orders) func `the families take turns, the first one first`(_ order: Order) throws {
        let addresses = try order.found.map { try SocketAddress(ipAddress: $0, port: 1) }
        #expect(AddressRace.interleaved(addresses).compactMap(\.ipAddress) == order.tried)
    }

    /// Connects to several ports of this machine under a clock that is turned by hand.
    private static func race(
        _ ports: [Int],
        limit: Duration? = nil,
        _ body: (ManualClock, RecordingObserver, Task<String?, any Error>, MultiThreadedEventLoopGroup) async throws ->
            Void
    ) async throws {
        let addresses = try ports.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0) }
        try await self.race(to: addresses, limit: limit, body)
    }

    private static func race(
        to addresses: [SocketAddress],
        limit: Duration? = nil,
        isObserved: Bool = true,
        _ body: (ManualClock, RecordingObserver, Task<String?, any Error>, MultiThreadedEventLoopGroup) async throws ->
            Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (clock, observer) = (ManualClock(), RecordingObserver())
        let request = TransportRequest(origin: Origin(scheme: .http, host: "a.test", port: 1), target: "/")
        let exchange = Exchange(request, observation: ExchangeObservation(observer: observer, metrics: nil))
        let observation = ConnectObservation(exchange)
        let eventLoop = group.next()
        let connected = Task {
            let channel = try await eventLoop.flatSubmit {
                AddressRace.run(
                    to: addresses,
                    of: .host("a.test", port: 1),
                    limit: limit,
                    clock: EngineClock(clock),
                    observation: isObserved ? observation : nil,
                    sockets: OpenSockets(),
                    on: eventLoop
                ) { _ in ClientBootstrap(group: eventLoop) }
            }.get()
            let address = channel.remoteAddress.map(TransportError.text)
            try await channel.close()
            return address
        }
        try await body(clock, observer, connected, group)
        try await group.shutdownGracefully()
    }

    /// A host may have any number of addresses, and the thread of an event loop a small stack.
    @Test(.bug(id: "F206"))
    func `thousands of addresses that the system refuses at once end in an error`() async throws {
        // There are no connections to a group of receivers.
        let addresses = [SocketAddress](repeating: try SocketAddress(ipAddress: "224.0.0.1", port: 9), count: 10_000)
        try await Self.race(to: addresses, isObserved: false) { _, _, connected, _ in
            let error = await #expect(throws: TransportError.self) { try await connected.value }
            #expect(error?.code == .connectFailed)
            #expect((error?.underlying as? AddressFailures)?.failures.count == addresses.count)
        }
    }

    @Test func `a slow address has a head start and no more, and is given up when another one answers`() async throws {
        try await DeafListener.run { deaf in
            try await ScriptedPeer.run([]) { peer in
                try await Self.race([deaf, deaf, peer.port]) { clock, observer, connected, group in
                    for attempts in 1...2 {
                        await observer.wait { $0.count == attempts }
                        try await group.next().submit {}.get()
                        await clock.advance(by: .milliseconds(249))
                        #expect(observer.events.count == attempts)
                        await clock.advance(by: .milliseconds(1))
                    }
                    #expect(try await connected.value == "127.0.0.1:\(peer.port)")
                    #expect(
                        observer.names == [
                            [String](repeating: "attemptStarted", count: 3)
                                + ["attemptEnded", "attemptFailed", "attemptFailed"]
                        ]
                    )
                }
            }
        }
    }

    @Test func `the next address is tried as soon as one refuses, whoever else is slow`() async throws {
        try await DeafListener.run { deaf in
            try await ScriptedPeer.run([]) { peer in
                let refused = try await refusedPort()
                try await Self.race([deaf, refused, peer.port]) { clock, observer, connected, group in
                    await observer.wait { $0.count == 1 }
                    try await group.next().submit {}.get()
                    await clock.advance(by: .milliseconds(250))
                    // From here on no time passes.
                    #expect(try await connected.value == "127.0.0.1:\(peer.port)")
                    #expect(
                        observer.names == [
                            [
                                "attemptStarted", "attemptStarted", "attemptFailed", "attemptStarted", "attemptEnded",
                                "attemptFailed",
                            ]
                        ]
                    )
                }
            }
        }
    }

    @Test func `the limit is for all addresses together, and ends every attempt`() async throws {
        try await DeafListener.run { deaf in
            try await Self.race([deaf, deaf, deaf], limit: .milliseconds(300)) { clock, observer, connected, group in
                await observer.wait { $0.count == 1 }
                try await group.next().submit {}.get()
                await clock.advance(by: .milliseconds(250))
                await observer.wait { $0.count == 2 }
                await clock.advance(by: .milliseconds(50))
                let error = await #expect(throws: TransportError.self) { try await connected.value }
                #expect(error?.code == .timedOut)
                #expect(error?.phase == .connect)
                #expect(observer.names == [["attemptStarted", "attemptStarted", "attemptFailed", "attemptFailed"]])
            }
        }
    }
}
