// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// Responses and downloads, the same over a function, over TCP and over TLS.
@Suite(.timeLimit(.minutes(1))) struct ResponseWireTests {
    static let complete: [Peer.Answer] = [
        Peer.Answer(), Peer.Answer(byteCount: 1), Peer.Answer(byteCount: 20_000), Peer.Answer(byteCount: 3_000_001),
        Peer.Answer(byteCount: 0, framing: .chunked(byteCount: 10)),
        Peer.Answer(byteCount: 500_000, framing: .chunked(byteCount: 4097)),
        Peer.Answer(byteCount: 500_000, framing: .untilClose), Peer.Answer(status: 204),
        Peer.Answer(status: 299, byteCount: 100),
    ]

    @Test(arguments: Peer.allCases, Self.complete)
    func `delivers every byte`(_ peer: Peer, _ answer: Peer.Answer) async throws {
        let expected = PatternBytes.bytes(Int(answer.byteCount))
        try await peer.answering(answer) { session, url in
            let whole = try await session.response(for: Request(url: url))
            #expect(whole.status.code == answer.status)
            #expect(whole.body == Data(expected))

            let response = try await session.send(Request(url: url))
            var streamed: [UInt8] = []
            for try await buffer in response.body { streamed += Array(buffer.readableBytesView) }
            #expect(streamed == expected)

            let directory = try TemporaryDirectory()
            let monitor = TransferMonitor()
            let file = try await session.download(Request(url: url), to: directory.file("a"), monitor: monitor)
            #expect(file.byteCount == answer.byteCount)
            #expect(try directory.names == ["a"])
            #expect(try directory.contents("a") == Data(expected))
            #expect(monitor.download.current.completed == answer.byteCount)
            #expect(monitor.download.isFinished)
        }
    }

    @Test(arguments: Peer.allCases, [Int64(0), 1, 100_000])
    func `fails where the connection breaks, and leaves no file`(_ peer: Peer, _ count: Int64) async throws {
        try await peer.answering(Peer.Answer(byteCount: 200_000, breaksAfter: count)) { session, url in
            let broken = SessionError(.connectionClosed, reason: "")
            await #expect(throws: broken) { try await session.response(for: Request(url: url)) }
            await #expect(throws: broken) {
                for try await _ in try await session.send(Request(url: url)).body {}
            }
            let directory = try TemporaryDirectory()
            await #expect(throws: broken) {
                try await session.download(Request(url: url), to: directory.file("a"))
            }
            #expect(try directory.names == [])
        }
    }

    @Test(arguments: Peer.allCases, [404, 500])
    func `saves no error page`(_ peer: Peer, _ status: Int) async throws {
        try await peer.answering(Peer.Answer(status: status, byteCount: 500)) { session, url in
            let directory = try TemporaryDirectory()
            let error = await #expect(throws: SessionError.self) {
                try await session.download(Request(url: url), to: directory.file("a"))
            }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.response?.body == Data(PatternBytes.bytes(500)))
            #expect(try directory.names == [])
        }
    }

    @Test(arguments: Peer.allCases)
    func `refuses a response beyond the limit`(_ peer: Peer) async throws {
        let answer = Peer.Answer(byteCount: 200_000, framing: .chunked(byteCount: 1000))
        try await peer.answering(answer) {
            $0.limits.responseByteCount = 100_000
        } _: { session, url in
            await #expect(throws: SessionError(.responseTooLarge, reason: "")) {
                try await session.response(for: Request(url: url))
            }
            await #expect(throws: SessionError(.responseTooLarge, reason: "")) {
                try await session.response(for: Request(url: url), monitor: TransferMonitor())
            }
        }
    }

    @Test(arguments: Peer.allCases)
    func `ends at once when it is cancelled in the middle of a body`(_ peer: Peer) async throws {
        try await peer.answering(Peer.Answer(byteCount: 200_000, stallsAfter: 50_000)) { session, url in
            let directory = try TemporaryDirectory()
            let monitor = TransferMonitor()
            let task = Task {
                try await session.download(Request(url: url), to: directory.file("a"), monitor: monitor)
            }
            for await progress in monitor.download where progress.completed == 50_000 { break }
            #expect(try directory.names.count == 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try directory.names == [])
        }
    }

    private static let measured: [Peer.Answer] = [
        Peer.Answer(status: 204), Peer.Answer(byteCount: 0), Peer.Answer(byteCount: 190),
        Peer.Answer(byteCount: 100_000), Peer.Answer(byteCount: 3_000_000),
        Peer.Answer(byteCount: 190, framing: .chunked(byteCount: 50)),
        Peer.Answer(byteCount: 0, framing: .chunked(byteCount: 50)),
    ]

    @Test(.bug(id: "F445"), arguments: [Peer.server, .secureServer], Self.measured)
    func `the body of a streamed response has the measurements of the whole exchange at its end`(
        _ peer: Peer,
        _ answer: Peer.Answer
    ) async throws {
        try await peer.answering(answer) { session, url in
            let response = try await session.send(Request(url: url))
            #expect(response.body.metrics == nil)
            for try await _ in response.body {}
            let metrics = try #require(response.body.metrics)
            #expect(metrics.responseBodyByteCount == answer.byteCount)
            #expect(metrics.responseBodyEnded != nil)
            let collected = try await session.response(for: Request(url: url))
            #expect(collected.metrics?.responseBodyByteCount == answer.byteCount)
            #expect(collected.request?.url == url)
        }
    }

    @Test(.bug(id: "F445"), arguments: [Int64(0), 190, 3_000_000])
    func `a streamed body with trailers has its measurements at its end, too`(_ byteCount: Int64) async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/file") { _ in
                var response = ScriptedResponse(body: .pattern(byteCount))
                response.framing = .chunked(byteCount: 50_000)
                response.trailers = [.eTag: "\"a\""]
                return response
            }
            let api = try HTTPSession(server.url, transport: try server.makeTransport())
            let response = try await api.stream("file")
            var count: Int64 = 0
            for try await buffer in response.body { count += Int64(buffer.readableBytes) }
            #expect(count == byteCount)
            #expect(response.body.trailers?[.eTag] == "\"a\"")
            #expect(response.body.metrics?.responseBodyByteCount == byteCount)
            await api.session.transport.shutdown()
        }
    }

    @Test(arguments: [Peer.server, .secureServer], [Int64(0), 50_000])
    func `does not wait for a peer that stalls`(_ peer: Peer, _ count: Int64) async throws {
        try await peer.answering(Peer.Answer(byteCount: 200_000, stallsAfter: count)) { session, url in
            var request = Request(url: url)
            request.options.timeoutInterval = .milliseconds(300)
            let directory = try TemporaryDirectory()
            let error = await #expect(throws: SessionError.self) {
                try await session.download(request, to: directory.file("a"))
            }
            #expect(error?.code == .timedOut)
            // On a busy machine the time may be over before the head has come.
            #expect(error?.phase == .responseBody || error?.phase == .responseHead)
            #expect(try directory.names == [])
            request.options.timeoutInterval = nil
            request.options.totalTimeout = .milliseconds(100)
            let total = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(total?.code == .timedOut)
            #expect(total?.phase == .total)
        }
    }
}
