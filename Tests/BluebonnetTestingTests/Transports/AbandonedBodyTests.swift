// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

/// Recordings of responses whose reader stopped before the end, and their replay.
@Suite(.bug(id: "F770"), .timeLimit(.minutes(1)))
struct AbandonedBodyTests {
    private static let request = Self.request(.streamed, .get)

    private static func request(
        _ mode: TransportRequest.ResponseMode,
        _ method: HTTPRequest.Method = .get
    ) -> TransportRequest {
        TransportRequest(method: method, origin: ReplayTransportTests.origin, target: "/", responseMode: mode)
    }

    /// Reads so many buffers of a response, then lets go of it.
    private static func read(_ count: Int, of transport: any Transport) async throws -> String {
        let body = try await transport.exchange(Self.request).body
        var (text, iterator) = ("", body.makeAsyncIterator())
        for _ in 0..<count { text += try await iterator.next().map { String(buffer: $0) } ?? "" }
        return text
    }

    private static func recorder(
        of pieces: [String],
        _ headers: HTTPFields = HTTPFields(),
        status: HTTPResponse.Status = .ok
    ) -> RecordingTransport {
        let transport = StubTransport { _ in
            let (stream, writer) = AsyncStream.makeStream(of: String.self)
            for piece in pieces { writer.yield(piece) }
            writer.finish()
            return .stream(stream, status: status, headers: headers)
        }
        return RecordingTransport(wrapping: transport)
    }

    @Test(arguments: [0, 1, 2])
    func `a program that stops early gets the same from the replay, and an error where it reads on`(
        _ count: Int
    ) async throws {
        let recorder = Self.recorder(of: ["one ", "two ", "three"])
        let recorded = try await Self.read(count, of: recorder)
        for archive in [recorder.archive, try HTTPArchive(parsing: recorder.archive.serialized())] {
            let response = try #require(archive.entries.first?.response)
            #expect(response.isBodyAbandoned && archive.entries.first?.failure == nil)
            #expect(String(buffer: response.body.bytes) == recorded)
            #expect(try await Self.read(min(count, 1), of: ReplayTransport(archive)) == recorded)
            let body = try await ReplayTransport(archive).exchange(Self.request).body
            let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: 100) }
            #expect(error?.code == .connectionClosed && error?.phase == .responseBody)
            #expect(error?.reason.hasPrefix("the recording ends here") == true)
            let whole = Self.request(.collected(upTo: 100))
            let other = await #expect(throws: TransportError.self) {
                try await ReplayTransport(archive).exchange(whole)
            }
            #expect(other?.code == .connectionClosed && other?.phase == .responseBody)
        }
    }

    @Test func `a reader that took every declared byte has read the whole body`() async throws {
        let recorder = Self.recorder(of: ["1234", "5678"], [.contentLength: "8"])
        #expect(try await Self.read(2, of: recorder) == "12345678")
        let archive = try HTTPArchive(parsing: recorder.archive.serialized())
        #expect(archive.entries.map(\.response?.isBodyAbandoned) == [false])
        let body = try await ReplayTransport(archive).exchange(Self.request).body
        #expect(String(buffer: try await body.collect(upTo: 100)) == "12345678")
    }

    private static let bodiless: [(HTTPRequest.Method, HTTPResponse.Status)] = [
        (.head, .ok), (.get, .noContent), (.get, .notModified),
    ]

    @Test(arguments: Self.bodiless)
    func `a response without a body is whole without being read`(
        _ method: HTTPRequest.Method,
        _ status: HTTPResponse.Status
    ) async throws {
        let recorder = Self.recorder(of: [], [.contentLength: "8"], status: status)
        _ = try await recorder.exchange(Self.request(.streamed, method))
        #expect(recorder.archive.entries.map(\.response?.isBodyAbandoned) == [false])
    }

    @Test func `a declared length stays that of the whole body`() async throws {
        let recorder = Self.recorder(of: ["1234", "5678"], [.contentLength: "8"])
        _ = try await Self.read(1, of: recorder)
        let response = try await ReplayTransport(recorder.archive).exchange(Self.request)
        #expect(response.headers[.contentLength] == "8" && response.body.expectedLength == 8)
    }

    @Test func `a part of a document keeps no secret`() async throws {
        let recorder = Self.recorder(
            of: [#"{"token":"hidden","a":"#, "1}"],
            [.contentType: "application/json"]
        )
        _ = try await Self.read(1, of: recorder)
        #expect(!String(decoding: recorder.archive.serialized(), as: UTF8.self).contains("hidden"))
    }

    @Test func `a response over sockets is kept as far as it was read`() async throws {
        try await TestServer.withServer { server in
            let recorder = RecordingTransport(wrapping: NIOTransport.shared)
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            let request = TransportRequest(origin: origin, target: "/bytes/20000000", responseMode: .streamed)
            var first = ByteBuffer()
            for try await buffer in try await recorder.exchange(request).body {
                first = buffer
                break
            }
            let replayed = try await ReplayTransport(recorder.archive).exchange(request)
            var iterator = replayed.body.makeAsyncIterator()
            #expect(try await iterator.next() == first)
            await #expect(throws: TransportError.self) { try await iterator.next() }
        }
    }
}
