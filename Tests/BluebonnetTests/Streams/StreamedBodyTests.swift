// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// The end of a streamed body, as its reader sees it.
@Suite(.timeLimit(.minutes(1))) struct StreamedBodyTests {
    /// Gives the same bytes for ever, and is never waited for.
    private final class EndlessBody: ResponseBody.Source {
        private let text: String
        private let count = Atomic(0)

        init(_ text: String) { self.text = text }

        var readCount: Int { self.count.load(ordering: .relaxed) }

        func next() async throws -> ByteBuffer? {
            self.count.add(1, ordering: .relaxed)
            return ByteBuffer(string: self.text)
        }
    }

    private static func response(_ body: any ResponseBody.Source) async throws -> StreamedResponse {
        let transport = StubTransport { _ in
            TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: nil))
        }
        return try await Session(transport: transport).send(Request(url: try Peer.url("http://h/")))
    }

    @Test func `a reader of bytes that are always there can be cancelled`() async throws {
        let body = EndlessBody("x")
        let response = try await Self.response(body)
        let reader = Task { for try await _ in response.body {} }
        while body.readCount < 100 { await Task.yield() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test func `a reader of lines that never end can be cancelled`() async throws {
        let body = EndlessBody("")
        let response = try await Self.response(body)
        let reader = Task { for try await _ in response.byteLines() {} }
        while body.readCount < 100 { await Task.yield() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test(.bug(id: "F684")) func `a body that arrived with its head ends at abandon, too`() async throws {
        let transport = StubTransport { _ in .plain("short") }
        let response = try await Session(transport: transport).send(Request(url: try Peer.url("http://h/")))
        response.body.abandon()
        await #expect(throws: CancellationError.self) { for try await _ in response.body {} }
    }

    @Test(.bug(id: "F684")) func `a joined body ends at abandon`() async throws {
        let (first, rest) = (ScriptedBody([.bytes(1), .bytes(1)]), ScriptedBody([.bytes(1)]))
        let source = JoinedBody(
            ResponseBody(source: first, expectedLength: 2),
            ResponseBody(source: rest, expectedLength: 1),
            byteCount: 3
        )
        #expect(try await source.next()?.readableBytes == 1)
        source.abandon()
        await #expect(throws: CancellationError.self) { try await source.next() }
    }

    private struct Copy: ResponseBodySink {
        func write(_ bytes: ByteBuffer) async throws {}
        func finish(trailers: HTTPFields?, metrics: ExchangeMetrics?) async {}
        func abort(_ error: any Error) {}
    }

    @Test(.bug(id: "F423"), arguments: [nil, 5], [false, true])
    func `too many bytes for a reader of a session's body are an error of the session`(
        _ length: Int64?,
        _ isCopied: Bool
    ) async throws {
        for isWhole in [false, true] {
            let transport = StubTransport { _ in
                let streamed = ResponseBody(source: ScriptedBody([.text("abcde")]), expectedLength: length)
                return TransportResponse(status: .ok, body: isWhole ? ResponseBody("abcde".utf8) : streamed)
            }
            let response = try await Session(transport: transport).send(Request(url: try Peer.url("http://h/")))
            let body = isCopied ? await response.body.tee(to: Copy()) : response.body
            let error = await #expect(throws: SessionError.self) { try await body.collect(upTo: 4) }
            #expect(error?.code == .responseTooLarge)
            #expect(error?.request?.url.absoluteString == "http://h/")
        }
    }

    @Test func `what follows a cancelled read is no end`() async throws {
        let response = try await Self.response(ScriptedBody([.text("a"), .hang]))
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == ByteBuffer(string: "a"))
        let reader = Task {
            var iterator = response.body.makeAsyncIterator()
            return try await iterator.next()
        }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        for _ in 0..<2 {
            await #expect(throws: CancellationError.self) {
                var iterator = response.body.makeAsyncIterator()
                _ = try await iterator.next()
            }
        }
        #expect(await response.body.discard(upTo: 10) == false)
    }

    @Test func `what follows an error is the error`() async throws {
        let cut = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)
        let response = try await Self.response(ScriptedBody([.text("a"), .fail(cut)]))
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == ByteBuffer(string: "a"))
        for _ in 0..<2 {
            let error = await #expect(throws: SessionError.self) { try await iterator.next() }
            #expect(error?.code == .connectionClosed)
        }
    }

    @Test(.bug(id: "F209"), arguments: Peer.allCases, [Int64(5), 300_000])
    func `a second iterator continues, however the body arrives`(_ peer: Peer, _ byteCount: Int64) async throws {
        try await peer.answering(.init(byteCount: byteCount)) { session, url in
            let response = try await session.send(Request(url: url))
            var iterator = response.body.makeAsyncIterator()
            var all = try #require(try await iterator.next())
            var rest = try await response.body.collect(upTo: Int(byteCount) - all.readableBytes)
            all.writeBuffer(&rest)
            #expect(all == ByteBuffer(bytes: PatternBytes.bytes(Int(byteCount))))
            #expect(response.body.expectedLength == byteCount)
            for try await _ in response.body { Issue.record("a byte too many") }
            #expect(try await response.response().body.isEmpty)
        }
    }

    @Test(.bug(id: "F209"), arguments: Peer.allCases, [Int64(5), 300_000])
    func `a body is collected once, however it arrived`(_ peer: Peer, _ byteCount: Int64) async throws {
        try await peer.answering(.init(byteCount: byteCount)) { session, url in
            let response = try await session.send(Request(url: url))
            #expect(try await response.response().body == Data(PatternBytes.bytes(Int(byteCount))))
            #expect(try await response.response().body.isEmpty)
        }
    }

    @Test func `a second reader gets an error, and the first one goes on`() async throws {
        let (latch, reading) = (Latch(), Latch())
        let body = GatedBody(latch, reading)
        let response = try await Self.response(body)
        let first = Task {
            var iterator = response.body.makeAsyncIterator()
            return (try await iterator.next(), try await iterator.next())
        }
        await reading.wait()
        var second = response.body.makeAsyncIterator()
        let error = await #expect(throws: SessionError.self) { try await second.next() }
        #expect(error?.code == .invalidRequest)
        latch.open()
        #expect(try await first.value == (ByteBuffer(string: "late"), nil))
    }

    /// What a second reader of a body that is being read makes of it.
    enum SecondReader: String, CaseIterable, Sendable {
        case lines, byteLines, documents, events, cancelledLines, cancelledEvents

        /// Reads the first element, and returns the error.
        func failure(_ response: StreamedResponse) async -> (any Error)? {
            let reader = Task {
                switch self {
                case .lines, .cancelledLines: for try await _ in response.lines { return }
                case .byteLines: for try await _ in response.byteLines() { return }
                case .documents: for try await _ in response.jsonLines(as: Int.self) { return }
                case .events, .cancelledEvents: for try await _ in response.events() { return }
                }
            }
            if self == .cancelledLines || self == .cancelledEvents { reader.cancel() }
            do { try await reader.value } catch { return error }
            return nil
        }
    }

    @Test(.bug(id: "F511"), arguments: SecondReader.allCases)
    func `a second reader of lines, documents or events gets an error, and the first one goes on`(
        _ second: SecondReader
    ) async throws {
        let (latch, reading) = (Latch(), Latch())
        let response = try await Self.response(GatedBody(latch, reading, text: "data: late\n\n"))
        let first = Task { try await response.lines.all() }
        await reading.wait()
        #expect(await second.failure(response) != nil)
        latch.open()
        #expect(try await first.value == ["data: late", ""])
    }

    @Test(.bug(id: "F511")) func `a cancelled second reader takes nothing from one that is between two reads`()
        async throws
    {
        let response = try await Self.response(ScriptedBody([.text("a\n"), .text("b\n")]))
        var lines = response.lines.makeAsyncIterator()
        #expect(try await lines.next() == "a")
        let second = Task {
            try? await untilCancelled()
            return try await response.lines.all()
        }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await lines.next() == "b")
        #expect(try await lines.next() == nil)
    }

    /// Gives its bytes when a latch is opened.
    private final class GatedBody: ResponseBody.Source {
        private let latch: Latch
        private let reading: Latch
        private let text: String
        private let isOver = Atomic(false)

        init(_ latch: Latch, _ reading: Latch, text: String = "late") {
            (self.latch, self.reading, self.text) = (latch, reading, text)
        }

        func next() async throws -> ByteBuffer? {
            if self.isOver.exchange(true, ordering: .relaxed) { return nil }
            self.reading.open()
            await self.latch.wait()
            return ByteBuffer(string: self.text)
        }
    }
}
