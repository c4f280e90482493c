// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

/// Answers of a stub that are streams, and what it can see of a request.
@Suite(.timeLimit(.minutes(1)))
struct StreamedStubTests {
    private static let request = ReplayTransportTests.request(.get, "/")

    @Test func `answers from a sequence of texts or bytes, as it is fed`() async throws {
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let (pieces, piece) = AsyncStream.makeStream(of: Data.self)
        let events = StubTransport { _ in .stream(texts, type: "text/event-stream", headers: [.eTag: "1"]) }
        let response = try await events.exchange(Self.request)
        #expect(response.headers == [.contentType: "text/event-stream", .eTag: "1"])
        var iterator = response.body.makeAsyncIterator()
        for part in ["data: 1\n\n", "", "data: 2\n\n"] { text.yield(part) }
        #expect(try await iterator.next() == ByteBuffer(string: "data: 1\n\n"))
        #expect(try await iterator.next() == ByteBuffer(string: "data: 2\n\n"))
        text.finish()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        piece.yield(Data([1, 2]))
        piece.finish()
        let bytes = try await StubTransport { _ in .stream(pieces) }.exchange(Self.request)
        #expect(try await bytes.body.collect(upTo: 10) == ByteBuffer(bytes: [1, 2]))
    }

    @Test func `an error of the sequence is that of the body`() async throws {
        let stream = AsyncThrowingStream<String, any Error> { writer in
            writer.yield("a")
            writer.finish(throwing: TransportError(.connectionClosed, phase: .responseBody, reason: "cut"))
        }
        let body = try await StubTransport { _ in .stream(stream) }.exchange(Self.request).body
        let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: 10) }
        #expect(error?.code == .connectionClosed)
    }

    @Test func `a cancelled reader does not take the end of the sequence for that of the body`() async throws {
        let (texts, writer) = AsyncStream.makeStream(of: String.self)
        let body = try await StubTransport { _ in .stream(texts) }.exchange(Self.request).body
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await body.collect(upTo: 10)
        }
        await #expect(throws: CancellationError.self) { try await reading.value }
        writer.finish()
    }

    @Test func `a request has the members of a recorded one`() async throws {
        var request = TransportRequest(
            method: .post,
            origin: StubTransportTests.origin,
            target: "/users/7?q=a%20b&q=2"
        )
        request.body = .bytes(ByteBuffer(string: #"{"name":"Ada"}"#))
        #expect(request.path == "/users/7" && request.query("q") == "a b" && request.query("p") == nil)
        #expect(try await request.bodyText() == #"{"name":"Ada"}"#)
        #expect(try JSONDecoder().decode([String: String].self, from: await request.bodyData()) == ["name": "Ada"])
        await #expect(throws: TransportError.self) { try await request.bodyData(upTo: 3) }
    }
}
