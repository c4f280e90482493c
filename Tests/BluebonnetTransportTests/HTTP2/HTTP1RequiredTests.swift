// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import BluebonnetTransport

/// A peer that speaks HTTP/2 and wants HTTP/1.1 (RFC 9113 section 7).
@Suite(.timeLimit(.minutes(1))) struct HTTP1RequiredTests {
    /// HTTP_1_1_REQUIRED.
    static let code: UInt32 = 0xD
    static let ok: [RawPeer.Step] = [.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))]

    static func behaviour(_ script: @escaping @Sendable (RawPeer.Request) -> [RawPeer.Step]) -> RawPeer.Behaviour {
        RawPeer.Behaviour(http1: Self.ok, script: script)
    }

    static func reader(isReplayable: Bool) -> TransportBody {
        .reader(length: 3, isReplayable: isReplayable) { RepeatingReader(remaining: 3) }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var method = HTTPRequest.Method.post
        var body = TransportBody.bytes(ByteBuffer(string: "xxx"))
        var awaitsContinue = false
        /// What the peer does about the first request.
        var script: @Sendable (RawPeer.Request) -> [RawPeer.Step] = { [.send(Wire.reset($0.stream, code))] }
    }

    static let repeated: [Case] = [
        Case(testDescription: "a body in memory"),
        Case(testDescription: "no body", method: .get, body: .none),
        Case(testDescription: "a body that can be produced again", body: reader(isReplayable: true)),
        Case(testDescription: "a body that nobody has begun", body: reader(isReplayable: false), awaitsContinue: true),
        Case(testDescription: "GOAWAY for everything", script: { _ in [.send(Wire.goAway(0, code))] }),
        Case(
            testDescription: "GOAWAY for the rest, and no response",
            method: .put,
            script: { [.send(Wire.goAway($0.stream, code)), .close] }
        ),
    ]

    @Test(arguments: repeated) func `the request is repeated over HTTP 1 1, and those after it go there at once`(
        _ one: Case
    ) async throws {
        try await RawPeer.run(Self.behaviour(one.script), tls: true) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = TransportRequest(method: one.method, origin: origin, target: "/", body: one.body)
            if one.awaitsContinue { request.continueTimeout = .seconds(50) }
            let outgoing = request
            for number in 1...3 {
                let response = try await transport.exchange(outgoing)
                #expect(response.status == .ok)
                #expect(response.metrics.httpVersion == .http11)
                #expect(response.metrics.tls?.applicationProtocol == "http/1.1")
                #expect(peer.state.withLock { $0.requests } == 1, "only the first has asked, after \(number)")
            }
            // Who responses without asking for the body does not get it.
            if one.awaitsContinue { return }
            let sent = peer.state.withLock { $0.http1.values.joined() }
            #expect(sent.occurrences(of: one.method == .get ? "GET / " : "\r\n\r\nxxx") == 3)
            // A response that comes before the end of a body was noticed here costs its connection.
            if case .reader = one.body { return }
            #expect(peer.state.withLock { $0.connections } == 2)
        }
    }

    struct Failure: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var tls = true
        var versions = NIOTransport.HTTPVersions.negotiated
        var body = TransportBody.none
        var isRequestSent = false
        var script: @Sendable (RawPeer.Request) -> [RawPeer.Step] = { [.send(Wire.reset($0.stream, code))] }
    }

    static let failures: [Failure] = [
        Failure(testDescription: "prior knowledge", tls: false),
        Failure(
            testDescription: "prior knowledge, GOAWAY",
            tls: false,
            script: { _ in [.send(Wire.goAway(0, code))] }
        ),
        Failure(
            testDescription: "prior knowledge, GOAWAY after the request was taken",
            tls: false,
            isRequestSent: true,
            script: { [.send(Wire.goAway($0.stream, code)), .close] }
        ),
        Failure(testDescription: "nothing but HTTP/2 is allowed", versions: .http2),
        Failure(testDescription: "a body that comes only once", body: reader(isReplayable: false)),
        Failure(
            testDescription: "an informational response",
            isRequestSent: true,
            script: { [.send(Wire.headers($0.stream, [(":status", "103")]) + Wire.reset($0.stream, code))] }
        ),
        Failure(
            testDescription: "half a response",
            isRequestSent: true,
            script: { [.send(Wire.head($0.stream) + Wire.data($0.stream, [1]) + Wire.reset($0.stream, code))] }
        ),
    ]

    @Test(arguments: failures) func `what cannot be repeated is one typed error`(_ one: Failure) async throws {
        var engine = NIOTransport.Configuration()
        engine.httpVersions = one.versions
        try await RawPeer.run(Self.behaviour(one.script), engine: engine, tls: one.tls) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let request = TransportRequest(method: .post, origin: origin, target: "/", body: one.body)
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .http11Required)
            #expect(error?.isRequestSent == one.isRequestSent)
            #expect(peer.state.withLock { $0.requests } == 1)
            #expect(peer.state.withLock { $0.http1 } == [:])
            #expect(transport.statistics.inFlight == 0)
        }
    }

    @Test func `the others on the connection go on, and nobody is asked twice`() async throws {
        let observer = RecordingObserver()
        var engine = NIOTransport.Configuration()
        engine.observer = observer
        let behaviour = Self.behaviour { request in
            switch request.number {
            case 0: []
            case 1: [.send(Wire.reset(request.stream, Self.code) + Wire.response(1))]
            default: [.send(Wire.response(request.stream))]
            }
        }
        try await RawPeer.run(behaviour, engine: engine, tls: true) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let first = Task { try await transport.exchange(HTTP2EndTests.post(origin)) }
            try await peer.until { $0.requests == 1 }
            #expect(try await transport.exchange(HTTP2EndTests.post(origin)).metrics.httpVersion == .http11)
            #expect(try await first.value.metrics.httpVersion == .http2)
            await observer.waitForEnds(2)
        }
        let names = observer.names
        #expect(names.last?.contains("retried") == true)
        #expect(names.last?.last == "ended")
    }

    // MARK: What is remembered

    static func key(_ number: Int) -> PoolKey {
        PoolKey(origin: Origin(scheme: .https, host: "h\(number).test", port: 443))
    }

    @Test func `a peer is forgotten after a while`() {
        let memory = ServerMemory<Int>()
        let now = NIODeadline.uptimeNanoseconds(1_000)
        #expect(memory.value(for: Self.key(1), now: now) == nil)
        memory.insert(7, for: Self.key(1), now: now)
        #expect(memory.value(for: Self.key(1), now: now + ServerMemory<Int>.lifetime - .nanoseconds(1)) == 7)
        #expect(memory.value(for: Self.key(2), now: now) == nil)
        #expect(memory.value(for: Self.key(1), now: now + ServerMemory<Int>.lifetime) == nil)
    }

    @Test func `no more than so many are remembered, the newest`() {
        let memory = ServerMemory<Int>()
        let now = NIODeadline.uptimeNanoseconds(1_000)
        for number in 0..<1_000 { memory.insert(number, for: Self.key(number), now: now + .nanoseconds(Int64(number))) }
        let later = now + .seconds(1)
        let remembered = (0..<1_000).compactMap { memory.value(for: Self.key($0), now: later) }
        #expect(remembered == Array(1_000 - ServerMemory<Int>.limit..<1_000))
    }
}
