// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

/// Everything at once for a while; afterwards descriptors, exchanges and memory are where they began.
///
/// A few thousand requests here; `make soak` sends 200,000.
@Suite(.timeLimit(.minutes(30))) struct SoakTests {
    static let requestCount = Scoreboard.requestCount(unlessTold: 3000)

    /// What a request is to meet.
    enum Mix: CaseIterable {
        case small, medium, head, streamed, dropped, upload, chunkedUpload, cut, garbage, late, cancelled, refused
    }

    @Test func `mixed requests, faults and cancellations leave nothing behind`() async throws {
        // What the process makes once and keeps is made before anything is counted.
        _ = try await Self.run(count: 300)
        let descriptors = ResidentMemory.descriptorCount()
        let memory = ResidentMemory.byteCount()
        let clock = ContinuousClock()
        var tally = [String: Int]()
        let time = try await clock.measure { tally = try await Self.run(count: Self.requestCount) }
        // The other side of a connection notices its end a moment after ours.
        let deadline = clock.now.advanced(by: .seconds(10))
        while ResidentMemory.descriptorCount() > descriptors, clock.now < deadline { await Task.yield() }
        let growth = (ResidentMemory.byteCount() - memory) / 1024 / 1024
        print(
            "soak: \(Self.requestCount) requests in \(time), memory \(memory / 1024 / 1024) MiB and \(growth) more,",
            "descriptors \(descriptors) and \(ResidentMemory.descriptorCount()), \(tally.sorted { $0.key < $1.key })"
        )
        #expect(ResidentMemory.descriptorCount() <= descriptors)
        #expect(growth < 64)
    }

    /// Sends requests to servers of both versions and waits until everything is closed.
    static func run(count: Int) async throws -> [String: Int] {
        let board = Scoreboard()
        var configuration = TestServer.Configuration()
        // What the server remembers is not what is looked for.
        configuration.untakenRequestLimit = 100
        configuration.recordedBodyLimit = 1024
        try await Engine.run(server: configuration) { engine in
            Self.script(engine.server)
            try await HTTP2Server.run(tls: false) {
                (server: HTTP2Server, second: NIOTransport, origin: Origin) async throws in
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<32 {
                        group.addTask {
                            while true {
                                let number = board.take()
                                guard number < count else { return }
                                let isSecond = number % 2 == 1
                                let mix = Mix.allCases[(number / 2) % Mix.allCases.count]
                                let outcome = await Self.send(
                                    mix,
                                    number,
                                    over: isSecond ? second : engine.transport,
                                    to: isSecond ? origin : engine.origin
                                )
                                if !outcome.isExpected {
                                    Issue.record("\(mix) over HTTP/\(isSecond ? 2 : 1): \(outcome.name)")
                                }
                                board.note(outcome.name)
                                if number % 1000 == 0 { server.seen.withLock { $0.removeAll() } }
                            }
                        }
                    }
                }
                for transport in [engine.transport, second] {
                    // What was given up may still be connecting.
                    while transport.statistics.inFlight + transport.statistics.connecting > 0 { await Task.yield() }
                    #expect(transport.statistics.waiting == 0)
                }
            }
            await engine.transport.shutdown()
            #expect(engine.transport.statistics.open == 0)
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
        }
        return board.tally
    }

    static func script(_ server: TestServer) {
        let cut = ScriptedResponse(body: .pattern(50_000), effect: .close(.afterBody(20_000)))
        server.respond(to: "/reset/internal") { _ in cut }
        server.respond(to: "/garbage") { _ in .raw("this is no HTTP\r\n") }
        server.respond(to: "/hang") { _ in ScriptedResponse(effect: .stall(.beforeResponse)) }
        server.respond(to: "/count") { .json(String($0.bodyByteCount)) }
    }

    struct Outcome {
        var name: String
        var isExpected: Bool
    }

    static func send(_ mix: Mix, _ number: Int, over transport: NIOTransport, to origin: Origin) async -> Outcome {
        let isSecond = number % 2 == 1
        var request = TransportRequest(origin: origin, target: "/bytes/\(number % 1000)")
        var size = number % 1000
        switch mix {
        case .small: break
        case .medium, .streamed, .dropped:
            size = 20_000 + number % 100_000
            request.target = "/bytes/\(size)"
            if mix != .medium { request.responseMode = .streamed }
        case .head:
            request.method = .head
            size = 0
        case .upload, .chunkedUpload:
            let body = FakeBody(byteCount: Int64(number % 60_000))
            request = TransportRequest(method: .post, origin: origin, target: "/count")
            request.body =
                mix == .upload
                ? body.body : .reader(length: nil, isReplayable: true) { body }
            size = -1
        case .cut: request.target = "/reset/internal"
        case .garbage: request.target = isSecond ? "/reset/internal" : "/garbage"
        case .late, .cancelled:
            request.target = "/hang"
            if mix == .late { request.timeouts.idle = .milliseconds(20) }
        case .refused: request.target = "/a b"
        }
        let exchange = Task { [request] in
            let response = try await transport.exchange(request)
            var iterator = response.body.makeAsyncIterator()
            var count = 0
            while let buffer = try await iterator.next() {
                count += buffer.readableBytes
                if mix == .dropped { break }
            }
            return count
        }
        if mix == .cancelled {
            for _ in 0..<(number % 50) { await Task.yield() }
            exchange.cancel()
        }
        return Self.judge(await exchange.result, of: mix, size: size)
    }

    private static func judge(_ result: Result<Int, any Error>, of mix: Mix, size: Int) -> Outcome {
        switch result {
        case .success(let count):
            let isWhole = size < 0 || count == size || mix == .dropped
            return Outcome(
                name: "whole",
                isExpected: isWhole && ![.cut, .garbage, .late, .cancelled, .refused].contains(mix)
            )
        case .failure(let error as TransportError):
            let expected: [Mix: TransportError.Code] = [
                .cut: .connectionClosed, .late: .timedOut, .refused: .invalidRequest,
            ]
            let isGarbage = mix == .garbage && [.protocolViolation, .connectionClosed].contains(error.code)
            return Outcome(name: "\(error.code)", isExpected: expected[mix] == error.code || isGarbage)
        case .failure(let error):
            return Outcome(name: "\(type(of: error))", isExpected: mix == .cancelled && error is CancellationError)
        }
    }
}
