// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// What a request may ask for instead of its transport.
@Suite(.timeLimit(.minutes(1))) struct PerRequestTests {
    @Test func `a request's local address overrides the transport's, and connections are not shared between them`()
        async throws
    {
        let step = ScriptedPeer.Step.send(Line.response("ok"))
        try await ScriptedPeer.run([.readHead, step, .readHead, step]) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.socket.localAddress = "127.0.0.8"
            try await NIOTransport.running(configuration) { transport in
                var request = TransportRequest(
                    origin: Origin(scheme: .http, host: "127.0.0.1", port: peer.port),
                    target: "/"
                )
                for local in [nil, "127.0.0.9", nil, "127.0.0.9"] {
                    request.localAddress = local
                    let response = try await transport.exchange(request)
                    #expect(response.metrics.localAddress?.hasPrefix("\(local ?? "127.0.0.8"):") == true)
                }
                #expect(transport.statistics.opened == 2)
                #expect(peer.callers == ["127.0.0.8", "127.0.0.9"])
                request.localAddress = "nonsense"
                let refused = request
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(refused) }
                #expect(error?.code == .connectFailed)
            }
        }
    }

    @Test func `a request's local address is used on the way to a proxy too`() async throws {
        try await ScriptedPeer.run([.readHead, .send(Line.response("ok"))]) { peer in
            try await NIOTransport.running(NIOTransport.Configuration()) { transport in
                var request = TransportRequest(origin: Origin(scheme: .http, host: "a.test"), target: "/")
                request.proxy = .fixed(Proxy(scheme: .http, host: "127.0.0.1", port: peer.port))
                request.localAddress = "127.0.0.9"
                let response = try await transport.exchange(request)
                #expect(response.status == .ok)
                #expect(peer.callers == ["127.0.0.9"])
            }
        }
    }

    @Test func `a request's connection is made on the event loop of another one`() async throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 4)
        let observer = LoopObserver()
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.observer = observer
        configuration.pool.maximumConnectionsPerOrigin = 16
        let transport = NIOTransport(configuration: configuration, eventLoopGroup: loops)
        try await TestServer.withServer { server in
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            var request = TransportRequest(origin: origin, target: "/bytes/10000000", responseMode: .streamed)
            // Each is under way until the end, so that none uses another's connection.
            let first = try await transport.exchange(request)
            request.loopOfConnection = first.metrics.connectionID
            var others: [TransportResponse] = []
            for _ in 0..<6 { others.append(try await transport.exchange(request)) }
            #expect(observer.loops.count == 7)
            #expect(Set(observer.loops).count == 1)
            // Where that connection is gone, the loops take turns.
            request.loopOfConnection = .max
            for _ in 0..<3 { others.append(try await transport.exchange(request)) }
            #expect(Set(observer.loops.suffix(3)).count == 3)
            for response in others + [first] { response.body.abandon() }
        }
        await transport.shutdown()
        try await loops.shutdownGracefully()
    }

    @Test func `a request's observer hears of its own exchange only, beside the transport's`() async throws {
        let everyone = RecordingObserver()
        var configuration = NIOTransport.Configuration()
        configuration.observer = everyone
        try await Engine.run(engine: configuration) { engine in
            let own = RecordingObserver()
            var request = engine.request(.get, "/bytes/10")
            request.observer = own
            _ = try await engine.send(request)
            _ = try await engine.send(engine.request(.get, "/bytes/10"))
            await everyone.waitForEnds(2)
            await own.waitForEnds(1)
            #expect(own.names == [everyone.names[0]])
        }
    }

    @Test func `a request's observer hears everything where the transport has none`() async throws {
        let expected = TransportObserverTests.connect + TransportObserverTests.request + TransportObserverTests.response
        try await Engine.run { engine in
            let own = RecordingObserver()
            var request = engine.request(.get, "/bytes/10")
            request.observer = own
            _ = try await engine.send(request)
            await own.waitForEnds(1)
            #expect(own.names == [["started"] + expected + ["ended"]])
        }
    }
}

/// Notes the event loops on which connections are made.
private final class LoopObserver: TransportObserver {
    private let state = Mutex([ObjectIdentifier]())

    var loops: [ObjectIdentifier] { self.state.withLock { $0 } }

    func observe(_ event: TransportEvent, of exchange: ExchangeID) {
        guard case .connectEnded = event, let loop = MultiThreadedEventLoopGroup.currentEventLoop else { return }
        self.state.withLock { $0.append(ObjectIdentifier(loop)) }
    }
}
