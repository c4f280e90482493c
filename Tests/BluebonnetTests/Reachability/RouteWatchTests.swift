// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BluebonnetFiles
import BluebonnetTransport
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a monitor does while the system or the resolver cannot answer it.
///
/// The loopback interface is the network.
@Suite(.timeLimit(.minutes(1))) struct RouteWatchTests {
    /// Fails, finds nothing, or finds addresses, as it is told.
    private final class ChangingResolver: NameResolver {
        private let answer: Mutex<[String]?>

        init(_ answer: [String]?) { self.answer = Mutex(answer) }

        func answers(_ answer: [String]?) { self.answer.withLock { $0 = answer } }

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            guard let answer = self.answer.withLock({ $0 }) else {
                throw TransportError(.nameResolutionFailed, phase: .resolve, reason: "no server answers")
            }
            return try answer.map { try SocketAddress(ipAddress: $0, port: port) }
        }
    }

    /// Opens no socket, as long as there is a reason not to.
    private final class SocketSource: Sendable {
        private let reason: Mutex<CInt>

        init(_ reason: CInt = 0) { self.reason = Mutex(reason) }

        func works() { self.reason.withLock { $0 = 0 } }

        /// Opens one in no group, whichever is asked for: changes of this machine's network are not part of a test.
        func open() throws(SystemError) -> NetlinkSocket {
            let reason = self.reason.withLock { $0 }
            if reason != 0 { throw SystemError(.open, reason) }
            return try NetlinkSocket()
        }
    }

    private static func probe(
        _ host: String,
        _ clock: ManualSessionClock,
        _ resolver: ChangingResolver = ChangingResolver(nil),
        sockets: SocketSource = SocketSource()
    ) -> SystemRouteProbe {
        SystemRouteProbe(.host(host), resolver, clock: clock.clock) { _ throws(SystemError) in try sockets.open() }
    }

    @Test(.bug(id: "F669"), arguments: [EMFILE, ENFILE, ENOMEM, ENOBUFS])
    func `sockets that cannot be opened for the moment are opened later`(_ reason: CInt) async {
        let (clock, sockets) = (ManualSessionClock(), SocketSource(reason))
        let monitor = ReachabilityMonitor(.network, probe: Self.probe("127.0.0.1", clock, sockets: sockets))
        monitor.start()
        var statuses = monitor.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .unknown)
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(1))
        await clock.waitForSleeps(2)
        sockets.works()
        clock.advance(by: .seconds(2))
        #expect(await statuses.next() == .reachableViaWiFi)
        #expect(clock.sleeperCount == 0, "everything is there now")
        monitor.stop()
    }

    @Test(.bug(id: "F669")) func `sockets that the system forbids are not waited for`() async {
        let clock = ManualSessionClock()
        let probe = Self.probe("127.0.0.1", clock, sockets: SocketSource(EPERM))
        let changes = probe.changes()
        #expect(await probe.status() == .unknown)
        #expect(clock.sleeperCount == 0)
        withExtendedLifetime(changes) {}
    }

    @Test(.bug(id: "F671")) func `a name that cannot be looked up is looked up again, later each time`() async {
        let (clock, resolver) = (ManualSessionClock(), ChangingResolver(nil))
        let monitor = ReachabilityMonitor(.host("a.test"), probe: Self.probe("a.test", clock, resolver))
        monitor.start()
        var statuses = monitor.statuses.makeAsyncIterator()
        let first = await statuses.next()
        #expect(first == .unknown || first == .notReachable, "without a network, nothing can be looked up")
        var count = 0
        for delay in [1, 2, 4, 8, 16, 30, 30] {
            count += 1
            await clock.waitForSleeps(count)
            clock.advance(by: .seconds(delay) - .milliseconds(1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .milliseconds(1))
        }
        await clock.waitForSleeps(count + 1)
        resolver.answers(["127.0.0.1"])
        clock.advance(by: .seconds(30))
        #expect(await statuses.next() == .reachableViaWiFi)
        monitor.stop()
    }

    @Test(.bug(id: "F671")) func `while a name cannot be looked up, its last addresses count`() async {
        let (clock, resolver) = (ManualSessionClock(), ChangingResolver(["127.0.0.1"]))
        let probe = Self.probe("a.test", clock, resolver)
        let changes = probe.changes()
        #expect(await probe.status() == .reachableViaWiFi)
        #expect(clock.sleeperCount == 0)
        resolver.answers(nil)
        #expect(await probe.status() == .reachableViaWiFi)
        await clock.waitForSleeps(1)
        resolver.answers([])
        #expect(await probe.status() == .notReachable, "a name without an address")
        withExtendedLifetime(changes) {}
    }

    @Test(.bug(id: "F671")) func `a stop ends the wait for another look`() async {
        let clock = ManualSessionClock()
        let monitor = ReachabilityMonitor(.host("a.test"), probe: Self.probe("a.test", clock))
        monitor.start()
        await clock.waitForSleeps(1)
        monitor.stop()
        while clock.sleeperCount > 0 { await Task.yield() }
    }
}
#endif
