// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Crypto
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// What can be added to the body of any request: a digest in front or behind, and compression.
@Suite(.timeLimit(.minutes(1))) struct UploadContentTests {
    private static let bytes = Data(PatternBytes.bytes(300_000))
    private static let digest = "sha-256=:\(Data(SHA256.hash(data: bytes)).base64EncodedString()):"

    /// Sends a request, and gives what the server got.
    private func sending(
        _ body: RequestBody,
        _ change: (Request) async throws -> Request
    ) async throws -> RecordedRequest {
        var configuration = TestServer.Configuration()
        configuration.recordedBodyLimit = 1 << 20
        return try await TestServer.withServer(configuration: configuration) { server in
            server.enqueue(ScriptedResponse())
            let session = Session(transport: try server.makeTransport())
            let request = try await change(Request(method: .post, url: Peer.url("\(server.url)/a"), body: body))
            _ = try await session.response(for: request)
            await session.transport.shutdown()
            return try await server.takeRequest()
        }
    }

    private static let bodies: [RequestBody] = [
        .data(bytes), .stream(length: nil) { try RequestBody.data(bytes).makeReader() },
        .stream(length: Int64(bytes.count)) { try RequestBody.data(bytes).makeReader() },
    ]

    @Test(arguments: 0..<3) func `a digest stands in front of the body`(_ index: Int) async throws {
        let request = try await self.sending(Self.bodies[index]) { try await $0.addingContentDigest() }
        #expect(request.headers[.contentDigest] == Self.digest)
        #expect(Data(request.body) == Self.bytes)
    }

    @Test(arguments: 0..<3) func `a digest follows the body`(_ index: Int) async throws {
        let request = try await self.sending(Self.bodies[index]) { $0.addingContentDigestTrailer() }
        #expect(request.headers[.contentDigest] == nil)
        #expect(request.headers[.trailer] == "Content-Digest")
        #expect(request.trailers[.contentDigest] == Self.digest)
        #expect(Data(request.body) == Self.bytes)
    }

    @Test func `a body that can be read once has no digest in front`() async throws {
        let request = Request(method: .post, url: try Peer.url("http://h/"), body: .reader(Once(), length: nil))
        let error = await #expect(throws: SessionError.self) { try await request.addingContentDigest() }
        #expect(error?.code == .bodyFailed)
    }

    private struct Once: BodyReader {
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
    }

    /// The codings, and how their formats begin.
    private static let compressions: [BodyCompression: [UInt8]] = {
        var all: [BodyCompression: [UInt8]] = [.gzip: [0x1F, 0x8B]]
        #if Zstandard
        all[.zstd] = [0x28, 0xB5, 0x2F, 0xFD]
        #endif
        return all
    }()

    @Test(arguments: [0, 1, 100, 65_536, 300_000], compressions.keys.sorted { $0.rawValue < $1.rawValue })
    func `a body is compressed while it is sent`(_ count: Int, _ compression: BodyCompression) async throws {
        let bytes = Self.bytes.prefix(count)
        let request = try await self.sending(.data(Data(bytes))) {
            try await $0.compressingBody(compression).addingContentDigest()
        }
        #expect(request.headers[.contentEncoding] == compression.rawValue)
        #expect(request.headers[.contentLength] == nil)
        let body = Data(request.body)
        let digest = "sha-256=:\(Data(SHA256.hash(data: body)).base64EncodedString()):"
        #expect(request.headers[.contentDigest] == digest)
        #expect(body.starts(with: try #require(Self.compressions[compression])))
        // A server that gives it back as a response shows what is in it.
        let decoded = try await TestServer.withServer { server in
            let headers: HTTPFields = [.contentEncoding: compression.rawValue]
            server.enqueue(ScriptedResponse(headers: headers, body: .bytes(Array(body))))
            let session = Session(transport: try server.makeTransport())
            let response = try await session.response(for: Request(url: Peer.url("\(server.url)/a")))
            await session.transport.shutdown()
            return response.body
        }
        #expect(decoded == bytes)
    }

    @Test(arguments: compressions.keys.sorted { $0.rawValue < $1.rawValue })
    func `what repeats itself becomes small`(_ compression: BodyCompression) async throws {
        let body = RequestBody.data(Data(repeating: UInt8(ascii: "a"), count: 300_000))
        let request = try await self.sending(body) { $0.compressingBody(compression) }
        #expect((1..<1000).contains(request.body.count))
    }

    /// Returns ten bytes, and then the number of a failed system call.
    private struct Failing: BodyReader {
        var isFirst = true

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            defer { self.isFirst = false }
            buffer.copyBytes(from: repeatElement(UInt8(ascii: "a"), count: 10))
            return self.isFirst ? 10 : -1
        }
    }

    @Test(.bug(id: "F187"), arguments: compressions.keys.sorted { $0.rawValue < $1.rawValue })
    func `a reader that fails with a number is no end of a compressed body`(_ compression: BodyCompression) async throws
    {
        try await TestServer.withServer { server in
            let session = Session(transport: try server.makeTransport())
            let body = RequestBody.stream(length: nil) { Failing() }
            let request = Request(method: .post, url: try Peer.url("\(server.url)/upload"), body: body)
            let error = await #expect(throws: SessionError.self) {
                try await session.response(for: request.compressingBody(compression))
            }
            #expect(error?.code == .bodyFailed)
            await session.transport.shutdown()
        }
    }

    /// A hundred kilobytes of one letter, with a delay after each.
    private struct Slow: BodyReader {
        static let delay = Duration.milliseconds(10)
        var count = 0

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            guard self.count < 100 else { return 0 }
            self.count += 1
            buffer.copyBytes(from: repeatElement(UInt8(ascii: "a"), count: 1000))
            return 1000
        }

        var delayBeforeNextRead: Duration { Self.delay }
    }

    @Test(.bug(id: "F200"), arguments: compressions.keys.sorted { $0.rawValue < $1.rawValue })
    func `a slow body is as slow when it is compressed`(_ compression: BodyCompression) throws {
        let body = RequestBody.stream(length: nil) { Slow() }
        let request = Request(method: .post, url: try Peer.url("http://h/"), body: body).compressingBody(compression)
        var reader = try request.body.makeReader()
        var buffer = [UInt8](repeating: 0, count: 4096)
        var delay = Duration.zero
        while try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }) > 0 {
            delay += reader.delayBeforeNextRead
        }
        #expect(delay == Slow.delay * 100)
    }

    @Test func `a request without a body stays as it is`() async throws {
        let request = Request(url: try Peer.url("http://h/"))
        #expect(request.compressingBody().headers == request.headers)
        #expect(request.addingContentDigestTrailer().headers == request.headers)
        let digested = try await request.addingContentDigest()
        #expect(digested.headers == request.headers)
    }
}
