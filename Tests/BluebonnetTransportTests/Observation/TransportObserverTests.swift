// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct TransportObserverTests {
    static let lookup = ["resolveStarted", "resolveEnded"]
    static let attempt = ["attemptStarted", "attemptEnded"]
    static let handshake = ["tlsHandshakeStarted", "tlsHandshakeEnded"]
    static let connect = ["connectStarted"] + attempt + ["connectEnded"]
    static let secureConnect = ["connectStarted"] + lookup + attempt + handshake + ["connectEnded"]
    static let request = ["connectionAcquired", "requestHeadStarted", "requestHeadEnded"]
    static let upload = ["requestBodyStarted", "requestBodyEnded"]
    static let response = [
        "responseHeadStarted", "responseHeadEnded", "responseBodyStarted", "responseBodyEnded", "connectionReleased",
    ]

    static func configuration(_ observer: RecordingObserver) -> NIOTransport.Configuration {
        var configuration = NIOTransport.Configuration()
        configuration.observer = observer
        configuration.resolver = LoopbackResolver()
        return configuration
    }

    @Test(arguments: [false, true], [false, true]) func `tells a new and a used connection apart`(
        _ isSecure: Bool,
        _ streamed: Bool
    ) async throws {
        let observer = RecordingObserver()
        try await Engine.run(tls: isSecure ? .init() : nil, engine: Self.configuration(observer)) { engine in
            for _ in 0..<2 {
                engine.server.enqueue(ScriptedResponse(body: "hello"))
                let body = TransportBody.bytes(ByteBuffer(string: "body"))
                _ = try await engine.send(engine.request(.put, "/", body: body, streamed: streamed))
            }
            await observer.waitForEnds(2)
        }
        let connect = isSecure ? Self.secureConnect : Self.connect
        let names = observer.names
        #expect(names.count == 2)
        #expect(names.first == ["started"] + connect + Self.request + Self.upload + Self.response + ["ended"])
        #expect(names.last == ["started"] + Self.request + Self.upload + Self.response + ["ended"])
        var acquired = [UInt64]()
        for event in observer.events {
            switch event {
            case .connectionAcquired(let id, let isReused):
                #expect(isReused == !acquired.isEmpty)
                acquired.append(id)
            case .connectionReleased(let id): #expect(acquired.last == id)
            case .requestBodyEnded(let byteCount): #expect(byteCount == 4)
            case .responseBodyEnded(let byteCount): #expect(byteCount == 5)
            case .responseHeadEnded(let status): #expect(status == .ok)
            default: break
            }
        }
        #expect(acquired.count == 2 && acquired.first == acquired.last)
    }

    @Test(arguments: [false, true]) func `tells the same on HTTP2`(_ fails: Bool) async throws {
        let observer = RecordingObserver()
        try await HTTP2Server.run(engine: Self.configuration(observer)) {
            (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.bytes(ByteBuffer(string: "body"))
            for target in ["/echo", fails ? "/reset/internal" : "/echo"] {
                let request = TransportRequest(method: .post, origin: origin, target: target, body: body)
                _ = try? await transport.exchange(request)
            }
            await observer.waitForEnds(2)
        }
        let names = observer.names
        #expect(
            names.first == ["started"] + Self.secureConnect + Self.request + Self.upload + Self.response + ["ended"]
        )
        if fails {
            #expect(names.last?.suffix(2) == ["connectionReleased", "failed"])
        } else {
            #expect(names.last == ["started"] + Self.request + Self.upload + Self.response + ["ended"])
        }
    }

    struct Failure: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var effect: SocketEffect
        var last: [String]
        var informational: [ScriptedResponse.Informational] = []
    }

    static let failures = [
        Failure(
            testDescription: "no response",
            effect: .close(.beforeResponse),
            last: ["connectionReleased", "failed"]
        ),
        Failure(
            testDescription: "no body",
            effect: .close(.afterHead),
            last: ["responseHeadStarted", "responseHeadEnded", "responseBodyStarted", "connectionReleased", "failed"]
        ),
    ]

    @Test(arguments: failures) func `ends with the failure, in whatever phase`(_ one: Failure) async throws {
        let observer = RecordingObserver()
        try await Engine.run(engine: Self.configuration(observer)) { engine in
            engine.server.enqueue(ScriptedResponse(body: "hello", effect: one.effect))
            await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            await observer.waitForEnds(1)
        }
        #expect(observer.names == [["started"] + Self.connect + Self.request + one.last])
    }

    @Test func `tells of another attempt`() async throws {
        let observer = RecordingObserver()
        try await Engine.run(engine: Self.configuration(observer)) { engine in
            _ = try await engine.send(engine.request(.get, "/status/204"))
            engine.server.enqueue(ScriptedResponse(effect: .close(.beforeResponse)), ScriptedResponse(body: "hello"))
            #expect(try await engine.send(engine.request(.get, "/")).body == "hello")
        }
        let dead = ["started"] + Self.request + ["connectionReleased", "retried"]
        #expect(observer.names.last == dead + Self.connect + Self.request + Self.response + ["ended"])
    }

    @Test func `tells of informational responses, and of none where there is no body`() async throws {
        let observer = RecordingObserver()
        try await Engine.run(engine: Self.configuration(observer)) { engine in
            var response = ScriptedResponse(status: 204)
            response.informational = [.init(status: 103)]
            engine.server.enqueue(response)
            _ = try await engine.send(engine.request(.get, "/"))
        }
        let response = ["responseHeadStarted", "informational", "responseHeadEnded", "connectionReleased", "ended"]
        #expect(observer.names == [["started"] + Self.connect + Self.request + response])
    }

    @Test func `a cancelled exchange says so once, wherever it stands`() async throws {
        let observer = RecordingObserver()
        var configuration = Self.configuration(observer)
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
            let busy = Task { try await engine.send(engine.request(.get, "/busy")) }
            _ = try await engine.server.takeRequest()
            let waiting = Task { try await engine.send(engine.request(.get, "/waiting")) }
            await observer.wait { events in events.count { $0.name == "started" } == 2 }
            waiting.cancel()
            _ = await waiting.result
            busy.cancel()
            _ = await busy.result
            await observer.waitForEnds(2)
            _ = engine.server.takeFailures()
        }
        #expect(
            observer.names == [
                ["started"] + Self.connect + Self.request + ["connectionReleased", "cancelled"],
                ["started", "cancelled"],
            ]
        )
    }

    @Test func `a response that is dropped counts as cancelled`() async throws {
        let observer = RecordingObserver()
        try await Engine.run(engine: Self.configuration(observer)) { engine in
            _ = try await engine.transport.exchange(engine.request(.get, "/bytes/30000000", streamed: true))
            await observer.waitForEnds(1)
            _ = engine.server.takeFailures()
        }
        let response = [
            "responseHeadStarted", "responseHeadEnded", "responseBodyStarted", "connectionReleased", "cancelled",
        ]
        #expect(observer.names == [["started"] + Self.connect + Self.request + response])
    }
}
