// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(1))) struct LifeTests {
    /// The sockets to a port that this process has open on the client's side.
    static func sockets(to port: Int) -> Int {
        (0..<4096).count { descriptor in
            // The family in the order of this machine, the port in that of the network.
            var address = [UInt8](repeating: 0, count: 128)
            var length = socklen_t(address.count)
            let result = address.withUnsafeMutableBytes { bytes in
                getpeername(CInt(descriptor), bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            }
            guard result == 0, CInt(address[0]) == AF_INET else { return false }
            // A datagram socket may have a port of the same number.
            return Int(address[2]) << 8 | Int(address[3]) == port && Self.isStream(CInt(descriptor))
        }
    }

    private static func isStream(_ descriptor: CInt) -> Bool {
        #if canImport(Glibc)
        let stream = CInt(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        var type: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == stream
    }

    enum Ending: CaseIterable, Sendable {
        case dropped
        case shutDown
        case shutDownTwice
        case shutDownGently
    }

    @Test(arguments: Ending.allCases) func `leaves no socket behind`(_ ending: Ending) async throws {
        try await TestServer.withServer { server in
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            var transport: NIOTransport? = NIOTransport()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { [transport] in
                        _ = try? await transport?.exchange(TransportRequest(origin: origin, target: "/status/200"))
                    }
                }
            }
            #expect(Self.sockets(to: server.port) > 0)
            switch ending {
            case .dropped: break
            case .shutDown: await transport?.shutdown()
            case .shutDownTwice:
                await transport?.shutdown()
                await transport?.shutdown()
                await transport?.shutdown(within: .seconds(1))
            case .shutDownGently: await transport?.shutdown(within: .seconds(10))
            }
            transport = nil
            try await server.waitForConnections { $0.open == 0 }
            while Self.sockets(to: server.port) > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    /// Something that a closure of a request holds.
    private final class Guest: Sendable {
        let transport: NIOTransport?
        init(_ transport: NIOTransport? = nil) { self.transport = transport }
    }

    @Test(.bug(id: "F41")) func `an idle connection keeps nothing of the request it was made for`() async throws {
        try await Engine.run { engine in
            weak var guest: Guest?
            do {
                let strong = Guest()
                guest = strong
                var request = engine.request(.get, "/status/200")
                request.onInformational = { _, _ in _ = strong }
                _ = try await engine.send(request)
            }
            // The event loop may still be at it.
            while guest != nil { await Task.yield() }
            #expect(engine.server.openConnections == 1)
        }
    }

    @Test(.bug(id: "F900")) func `an HTTP2 connection that ends with a response keeps nothing of its request`()
        async throws
    {
        let ticker = Ticker()
        let end = Wire.data(1, [1]) + Wire.data(1, [2], isEnd: true)
        let behaviour = RawPeer.Behaviour { _ in [.send(Wire.head(1)), .onTick(ticker, [end])] }
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumUses = 1
        try await RawPeer.run(behaviour, engine: configuration) {
            (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            weak var guest: Guest?
            do {
                let strong = Guest()
                guest = strong
                var request = TransportRequest(origin: origin, target: "/")
                request.responseMode = .streamed
                request.onInformational = { _, _ in _ = strong }
                let response = try await transport.exchange(request)
                try await ticker.waitForPeer()
                // Both frames come in one read, in which the connection is closed.
                await ticker.tick()
                #expect(try await response.body.collect(upTo: 10).readableBytes == 2)
            }
            while guest != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test(.bug(id: "F42")) func `a request that waits in vain may be the last one to hold the engine`() async throws {
        try await TestServer.withServer { server in
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            let gate = Gate()
            let whole = String(repeating: "hello", count: 100_000)
            server.enqueue(ScriptedResponse(body: .text(whole), effect: .hold(.afterBody(2000), until: gate)))
            weak var engine: NIOTransport?
            func begin() async throws -> ResponseBody {
                var configuration = NIOTransport.Configuration()
                configuration.pool.maximumConnectionsPerOrigin = 1
                let transport = NIOTransport(configuration: configuration)
                engine = transport
                var streamed = TransportRequest(origin: origin, target: "/")
                streamed.responseMode = .streamed
                let response = try await transport.exchange(streamed)
                let waiting = Task {
                    let guest = Guest(transport)
                    var request = TransportRequest(origin: origin, target: "/")
                    request.onInformational = { _, _ in _ = guest }
                    _ = try await transport.exchange(request)
                }
                while transport.statistics.waiting == 0 { await Task.yield() }
                waiting.cancel()
                _ = await waiting.result
                return response.body
            }
            let body = try await begin()
            #expect(engine != nil)
            gate.open()
            let text = String(buffer: try await body.collect(upTo: whole.utf8.count))
            #expect(text == whole)
            while engine != nil { await Task.yield() }
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `an engine that is dropped finishes what is under way`() async throws {
        try await TestServer.withServer { server in
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            let gate = Gate()
            server.enqueue(ScriptedResponse(body: "hello", effect: .hold(.beforeResponse, until: gate)))
            let exchange = Task {
                let transport = NIOTransport()
                return try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            }
            _ = try await server.takeRequest()
            gate.open()
            #expect(try await exchange.value.status == .ok)
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `an engine that is dropped while it connects leaves nothing`() async throws {
        try await TestServer.withServer { server in
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            for _ in 0..<20 {
                let exchange = Task {
                    let transport = NIOTransport()
                    return try await transport.exchange(TransportRequest(origin: origin, target: "/status/200"))
                }
                await Task.yield()
                exchange.cancel()
                _ = await exchange.result
            }
            try await server.waitForConnections { $0.open == 0 }
            while Self.sockets(to: server.port) > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test func `refuses exchanges after the end, whichever it was`() async throws {
        try await TestServer.withServer { server in
            let request = TransportRequest(
                origin: Origin(scheme: .http, host: server.host, port: server.port),
                target: "/status/200"
            )
            for isGentle in [false, true] {
                let transport = NIOTransport()
                _ = try await transport.exchange(request)
                if isGentle { await transport.shutdown(within: .seconds(10)) } else { await transport.shutdown() }
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                #expect(error?.code == .shutDown)
                #expect(error?.isRequestSent == false)
            }
        }
    }

    @Test func `lives on one thread of somebody else's group, and leaves it running`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestServer.withServer { server in
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            for _ in 0..<2 {
                let transport = NIOTransport(eventLoopGroup: group)
                try await withThrowingTaskGroup(of: Int.self) { tasks in
                    for _ in 0..<40 {
                        tasks.addTask {
                            try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/100000"))
                                .body.collect(upTo: 100_000).readableBytes
                        }
                    }
                    for try await count in tasks { #expect(count == 100_000) }
                }
                await transport.shutdown()
            }
        }
        #expect(try await group.next().submit { 1 }.get() == 1)
        try await group.shutdownGracefully()
    }

    @Test func `the shared engine is there for everyone, without an end`() async throws {
        try await TestServer.withServer { server in
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            for _ in 0..<2 {
                let response = try await NIOTransport.shared.exchange(
                    TransportRequest(origin: origin, target: "/status/200", headers: [.connection: "close"])
                )
                #expect(response.status == .ok)
            }
            try await server.waitForConnections { $0.open == 0 }
        }
    }
}
