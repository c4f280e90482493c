// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import HTTPTypes
import NIOCore
import NIOPosix
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

/// Requests that may not leave by a cellular interface.
@Suite(.timeLimit(.minutes(1))) struct CellularAccessTests {
    /// Answers by the last byte of the address, and keeps what it was asked.
    private final class Table: Sendable {
        let asked = Mutex<[RouteTable.Query]>([])
        let answers: [UInt8: RouteTable.Answer]

        init(_ answers: [UInt8: RouteTable.Answer]) {
            self.answers = answers
        }

        var routes: RouteTable {
            RouteTable {
                { query in
                    self.asked.withLock { $0.append(query) }
                    return self.answers[query.address.last ?? 0] ?? .none
                }
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var found: [String]
        var answers: [UInt8: RouteTable.Answer]
        /// The addresses that are tried; nil where the request is refused.
        var tried: [String]?
    }

    static let cases: [Case] = [
        Case(
            testDescription: "one address by a modem",
            found: ["127.0.0.1"],
            answers: [1: .interface(.mobile)],
            tried: nil
        ),
        Case(
            testDescription: "all addresses by a modem",
            found: ["127.0.0.1", "127.0.0.2"],
            answers: [1: .interface(.mobile), 2: .interface(.mobile)],
            tried: nil
        ),
        Case(
            testDescription: "the first address by a modem",
            found: ["127.0.0.2", "127.0.0.1"],
            answers: [1: .interface(.wired), 2: .interface(.mobile)],
            tried: ["127.0.0.1"]
        ),
        Case(
            testDescription: "by Wi-Fi",
            found: ["127.0.0.1"],
            answers: [1: .interface(.wireless)],
            tried: ["127.0.0.1"]
        ),
        Case(testDescription: "no route", found: ["127.0.0.1"], answers: [1: .none], tried: ["127.0.0.1"]),
        Case(testDescription: "the system does not say", found: ["127.0.0.1"], answers: [1: .unknown], tried: nil),
        Case(
            testDescription: "the system says it of one only",
            found: ["127.0.0.2", "127.0.0.1"],
            answers: [1: .interface(.loopback), 2: .unknown],
            tried: ["127.0.0.1"]
        ),
    ]

    @Test(arguments: Self.cases) func `an address behind a modem is left out, and none that is left is an error`(
        _ one: Case
    ) async throws {
        try await Self.exchange(one, allowsCellularAccess: false) { table, observer, result, port in
            #expect(table.asked.withLock { $0.count } == one.found.count)
            let tried = observer.events.compactMap { event -> String? in
                if case .attemptStarted(let address) = event { address } else { nil }
            }
            #expect(tried == (one.tried ?? []).map { "\($0):\(port)" })
            if one.tried == nil {
                let error = #expect(throws: TransportError.self) { _ = try result.get() }
                #expect(error?.code == .interfaceNotAllowed)
                #expect(error?.phase == .connect)
                #expect(error?.isRequestSent == false)
            } else {
                let response = try result.get()
                #expect(response.status == .ok)
            }
        }
    }

    @Test func `a request that allows every interface asks nothing`() async throws {
        try await Self.exchange(Self.cases[0], allowsCellularAccess: true) { table, _, result, _ in
            let response = try result.get()
            #expect(response.status == .ok)
            #expect(table.asked.withLock { $0.isEmpty })
        }
    }

    private static func exchange(
        _ one: Case,
        allowsCellularAccess: Bool,
        _ look: (Table, RecordingObserver, Result<TransportResponse, any Error>, _ port: Int) throws -> Void
    ) async throws {
        let (table, observer) = (Table(one.answers), RecordingObserver())
        try await ScriptedPeer.run([.readHead, .send(Line.response("ok"))]) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.resolver = FixedResolver(addresses: one.found)
            configuration.routes = table.routes
            configuration.observer = observer
            try await NIOTransport.running(configuration) { transport in
                var request = TransportRequest(
                    origin: Origin(scheme: .http, host: "a.test", port: peer.port),
                    target: "/"
                )
                request.allowsCellularAccess = allowsCellularAccess
                let result: Result<TransportResponse, any Error>
                do { result = .success(try await transport.exchange(request)) } catch { result = .failure(error) }
                try look(table, observer, result, peer.port)
            }
        }
    }

    @Test func `a connection that may be cellular serves no request that may not`() async throws {
        try await Engine.run { engine in
            for (allows, opened) in [(true, 1), (false, 2), (true, 2), (false, 2)] {
                var request = engine.request(.get, "/status/200")
                request.allowsCellularAccess = allows
                let answer = try await engine.send(request)
                #expect(answer.status == 200)
                #expect(engine.transport.statistics.opened == opened)
            }
        }
    }

    @Test func `the route to a proxy counts, and the error stays what it is`() async throws {
        let table = Table([1: .interface(.mobile)])
        var configuration = NIOTransport.Configuration()
        configuration.routes = table.routes
        configuration.proxy = .fixed(Proxy(scheme: .http, host: "127.0.0.1", port: 9))
        try await NIOTransport.running(configuration) { transport in
            for scheme in [Origin.Scheme.http, .https] {
                var request = TransportRequest(origin: Origin(scheme: scheme, host: "a.test"), target: "/")
                request.allowsCellularAccess = false
                request.localAddress = "127.0.0.9"
                let refused = request
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(refused) }
                #expect(error?.code == .interfaceNotAllowed)
            }
        }
        let asked = table.asked.withLock { $0 }
        #expect(asked.map(\.address) == [[127, 0, 0, 1], [127, 0, 0, 1]])
        #expect(asked.map(\.source) == [[127, 0, 0, 9], [127, 0, 0, 9]])
    }

    @Test(
        .bug(id: "F605"),
        arguments: [
            (nil, TransportError.Code.interfaceNotAllowed), (EACCES, .interfaceNotAllowed), (EMFILE, .connectFailed),
        ] as [(CInt?, TransportError.Code)]
    )
    func `without a table nothing is sent`(_ number: CInt?, _ code: TransportError.Code) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.routes = RouteTable {
            if let number { throw SystemError(.open, number) }
            return nil
        }
        try await NIOTransport.running(configuration) { transport in
            var request = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: 9), target: "/")
            request.allowsCellularAccess = false
            let refused = request
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(refused) }
            #expect(error?.code == code)
            #expect(error?.reason.hasSuffix("Too many open files") == (number == EMFILE))
        }
    }
}

#if os(Linux)
/// The system's own interfaces, in a network that the test has made.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: NetworkNamespace.obstacle == nil, Comment(rawValue: NetworkNamespace.obstacle ?? "it can be made"))
) struct CellularNamespaceTests {
    @Test(arguments: [
        ("wwan0", "192.0.2.2/24", "192.0.2.1", true), ("eth0", "192.0.2.2/24", "192.0.2.1", false),
        ("ppp7", "2001:db8::2/64", "2001:db8::1", true), ("eth0", "2001:db8::2/64", "2001:db8::1", false),
        ("wwan0", "2001:db8::2/64", "fe80::1", true), ("eth0", "2001:db8::2/64", "fe80::1", false),
    ])
    func `the interface of the system's route decides`(
        _ name: String,
        _ own: String,
        _ peer: String,
        _ isRefused: Bool
    ) async throws {
        let namespace = try NetworkNamespace()
        try namespace.ip("link", "set", "lo", "up")
        try namespace.ip("link", "add", name, "type", "veth", "peer", "name", "far")
        try namespace.ip("link", "set", "far", "up")
        try namespace.ip("link", "set", name, "up")
        if own.utf8.contains(UInt8(ascii: ":")) {
            try namespace.ip("-6", "addr", "add", own, "dev", name, "nodad")
        } else {
            try namespace.ip("addr", "add", own, "dev", name)
        }
        // A thread begins in the network of the one that makes it.
        let made = Mutex<(group: MultiThreadedEventLoopGroup, scope: Int)?>(nil)
        try await namespace.run {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            made.withLock { $0 = (group, Int(if_nametoindex(name))) }
        }
        let (group, scope) = try #require(made.withLock { $0 })
        let filter = InterfaceFilter(routes: .system)
        // The name of the interface means nothing outside; its number does.
        let zone = peer.utf8.starts(with: "fe80".utf8) ? "%\(scope)" : ""
        let address = try SocketAddress(ipAddress: "\(peer)\(zone)", port: 80)
        let result = try await filter.withoutCellular(
            [address, SocketAddress(ipAddress: "127.0.0.1", port: 80)],
            of: .host("a.test", port: 80),
            from: nil,
            on: group.any()
        ).get()
        #expect(result.count == (isRefused ? 1 : 2))
        let alone = filter.withoutCellular([address], of: .host("a.test", port: 80), from: nil, on: group.any())
        if isRefused {
            let error = await #expect(throws: TransportError.self) { try await alone.get() }
            #expect(error?.code == .interfaceNotAllowed)
        } else {
            let left = try await alone.get()
            #expect(left == [address])
        }
        try await group.shutdownGracefully()
    }

    @Test func `a request is refused in a network whose only way out is a modem`() async throws {
        let namespace = try NetworkNamespace()
        try namespace.ip("link", "add", "wwan0", "type", "veth", "peer", "name", "far")
        try namespace.ip("link", "set", "far", "up")
        try namespace.ip("addr", "add", "192.0.2.2/24", "dev", "wwan0")
        try namespace.ip("link", "set", "wwan0", "up")
        try namespace.ip("route", "add", "default", "via", "192.0.2.1")
        let made = Mutex<MultiThreadedEventLoopGroup?>(nil)
        try await namespace.run {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            made.withLock { $0 = group }
        }
        let group = try #require(made.withLock { $0 })
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        let transport = NIOTransport(configuration: configuration, eventLoopGroup: group)
        var request = TransportRequest(origin: Origin(scheme: .https, host: "203.0.113.1"), target: "/")
        // Nobody is there: an attempt would end with this limit.
        request.timeouts.connect = .milliseconds(20)
        for (allows, code) in [(false, TransportError.Code.interfaceNotAllowed), (true, .timedOut)] {
            request.allowsCellularAccess = allows
            let one = request
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(one) }
            #expect(error?.code == code)
        }
        await transport.shutdown()
        try await group.shutdownGracefully()
    }
}
#endif
