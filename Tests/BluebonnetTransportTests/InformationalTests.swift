// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// What comes before the final response and after its body.
@Suite(.timeLimit(.minutes(1))) struct InformationalTests {
    final class Collected: Sendable {
        let statuses = Mutex([Int]())
    }

    @Test func `hands informational responses over in order`() async throws {
        try await Engine.run { engine in
            var scripted = ScriptedResponse(body: "ok")
            scripted.informational = [.init(status: 102), .init(status: 103, headers: [.location: "/a.css"])]
            engine.server.enqueue(scripted)
            let collected = Collected()
            var request = engine.request(.get, "/")
            request.onInformational = { status, fields in
                collected.statuses.withLock { $0.append(status.code + fields.count) }
            }
            let body = try await engine.send(request).body
            #expect(body == "ok")
            #expect(collected.statuses.withLock { $0 } == [102, 104])
        }
    }

    @Test func `sends the body when the peer says continue`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(body: "ok"))
            var request = engine.request(.put, "/", body: .bytes(ByteBuffer(string: "abc")))
            request.continueTimeout = .seconds(60)
            let body = try await engine.send(request).body
            #expect(body == "ok")
            let received = try await engine.server.takeRequest()
            #expect(received.headers[.expect] == "100-continue")
            #expect(received.bodyText == "abc")
            _ = try await engine.send(engine.request(.get, "/status/200"))
            #expect(engine.server.totalConnections == 1)
        }
    }

    @Test func `sends the body anyway when the peer stays silent`() async throws {
        try await Engine.run { engine in
            var silent = ScriptedResponse(body: "ok")
            silent.sendsContinue = false
            engine.server.enqueue(silent)
            var request = engine.request(.put, "/", body: NIOTransportTests.reader(100_000))
            request.continueTimeout = .milliseconds(100)
            let body = try await engine.send(request).body
            #expect(body == "ok")
            let received = try await engine.server.takeRequest()
            #expect(received.bodyByteCount == 100_000)
        }
    }

    @Test func `keeps the body back when the verdict comes instead`() async throws {
        try await Engine.run { engine in
            var refusal = ScriptedResponse(status: 413, body: "no")
            refusal.isEarly = true
            engine.server.enqueue(refusal)
            var request = engine.request(.put, "/", body: NIOTransportTests.reader(100_000))
            request.continueTimeout = .seconds(60)
            let answer = try await engine.send(request)
            #expect(answer.status == 413)
            #expect(answer.body == "no")
            #expect(answer.response.metrics.requestByteCount < 1_000)
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
        }
    }

    @Test(.bug(id: "F379"), arguments: [200, 417])
    func `a request whose expectation is refused is sent once more without it`(_ verdict: Int) async throws {
        try await Engine.run { engine in
            var refusal = ScriptedResponse(status: 417, body: "no")
            refusal.isEarly = true
            engine.server.enqueue(refusal)
            engine.server.enqueue(ScriptedResponse(status: .init(code: verdict), body: "second"))
            // A body that comes only once has not been begun.
            let body = TransportBody.reader(length: 1_000, isReplayable: false) { RepeatingReader(remaining: 1_000) }
            var request = engine.request(.post, "/", headers: [.expect: "100-continue"], body: body)
            request.continueTimeout = .seconds(60)
            let answer = try await engine.send(request)
            #expect(answer.status == verdict)
            #expect(answer.body == "second")
            // They come over two connections, whose requests the server may record in any order.
            let requests = try await [engine.server.takeRequest(), engine.server.takeRequest()]
            #expect(requests.count { $0.headers[.expect] == "100-continue" } == 1)
            let second = try #require(requests.first { $0.headers[.expect] == nil })
            #expect(second.bodyByteCount == 1_000)
            _ = engine.server.takeFailures()
        }
    }

    @Test(.bug(id: "F379"), arguments: [false, true])
    func `a stream whose expectation is refused is opened once more without it`(_ isEnded: Bool) async throws {
        let behaviour = RawPeer.Behaviour { request in
            guard request.number == 0 else { return [.afterBody(1_000), .send(Wire.response(request.stream))] }
            return [.send(Wire.headers(request.stream, [(":status", "417")], isEnd: isEnded))]
        }
        let observer = RecordingObserver()
        var configuration = NIOTransport.Configuration()
        configuration.observer = observer
        try await RawPeer.run(behaviour, engine: configuration) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.reader(length: 1_000, isReplayable: false) { RepeatingReader(remaining: 1_000) }
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            request.continueTimeout = .seconds(60)
            #expect(try await transport.exchange(request).status == .ok)
            #expect(transport.statistics.opened == 1)
            #expect(peer.state.withLock { $0.frames.contains { $0.kind == 3 && $0.stream == 1 && $0.code == 8 } })
        }
        let heads = observer.events.compactMap { if case .requestHeadEnded(let head) = $0 { head } else { nil } }
        #expect(heads.map { $0.headers[.expect] } == ["100-continue", nil])
        #expect(observer.names.joined().contains("retried"))
    }

    @Test(.bug(id: "F379")) func `a verdict on a body that is under way is the response`() async throws {
        try await Engine.run { engine in
            var verdict = ScriptedResponse(status: 417, body: "no")
            verdict.sendsContinue = false
            engine.server.enqueue(verdict)
            var request = engine.request(.put, "/", body: NIOTransportTests.reader(1_000))
            request.continueTimeout = .milliseconds(10)
            let status = try await engine.send(request).status
            #expect(status == 417)
        }
    }

    @Test func `asks for nothing where there is no body`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(body: "ok"))
            var request = engine.request(.post, "/")
            request.continueTimeout = .seconds(60)
            _ = try await engine.send(request)
            let received = try await engine.server.takeRequest()
            #expect(received.headers[.expect] == nil)
        }
    }

    static let bodies: [(name: String, body: TransportBody, byteCount: Int64)] = [
        ("none", .none, 0), ("no bytes", .bytes(ByteBuffer()), 0), ("bytes", .bytes(ByteBuffer(string: "hello")), 5),
        ("many bytes", .bytes(ByteBuffer(repeating: 1, count: 300_000)), 300_000),
        ("a reader", NIOTransportTests.reader(300_000), 300_000),
        ("a reader of unknown length", .pieces(of: ByteBuffer(repeating: 1, count: 30_000), length: nil), 30_000),
    ]

    @Test(arguments: bodies.indices) func `sends trailers after a body of every kind`(_ index: Int) async throws {
        let one = Self.bodies[index]
        try await Engine.run { (engine: Engine) async throws in
            for number in 1...2 {
                var request = engine.request(.put, "/upload", body: one.body)
                request.trailers = { [.eTag: "\"\(number)\""] }
                engine.server.enqueue(ScriptedResponse(body: "ok"))
                #expect(try await engine.send(request).body == "ok")
                let received = try await engine.server.takeRequest()
                #expect(received.bodyByteCount == one.byteCount, "\(one.name)")
                #expect(received.trailers[.eTag] == "\"\(number)\"", "\(one.name)")
                #expect(received.headers[.contentLength] == nil)
            }
            #expect(engine.server.totalConnections == 1)
        }
    }

    @Test(arguments: [true, false]) func `gives the trailers after the body`(_ streamed: Bool) async throws {
        try await Engine.run { engine in
            var scripted = ScriptedResponse(body: .pattern(streamed ? 3_000_000 : 10))
            scripted.framing = .chunked(byteCount: 1_000)
            scripted.trailers = [.eTag: "\"after\""]
            engine.server.enqueue(scripted)
            let response = try await engine.transport.exchange(engine.request(.get, "/", streamed: streamed))
            var count = 0
            for try await buffer in response.body { count += buffer.readableBytes }
            #expect(count == (streamed ? 3_000_000 : 10))
            #expect(response.body.trailers?[.eTag] == "\"after\"")
        }
    }
}
