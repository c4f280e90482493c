// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import CZlib
import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite(.timeLimit(.minutes(1))) struct DecodingTests {
    enum Format: CInt, CaseIterable, Sendable {
        case gzip = 31
        case zlib = 15
        case raw = -15

        var coding: Inflater.Coding { self == .gzip ? .gzip : .deflate }
        var name: String { self == .gzip ? "gzip" : "deflate" }
    }

    /// Compresses with the system's zlib, which is not ours.
    static func compress(_ bytes: [UInt8], _ format: Format) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream,
            9,
            Z_DEFLATED,
            format.rawValue,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)
        )
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + 1_000)
        let outputCount = output.count
        input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                deflate(&stream, Z_FINISH)
            }
        }
        return Array(output.prefix(outputCount - Int(stream.avail_out)))
    }

    static func inflate(
        _ bytes: [UInt8],
        _ coding: Inflater.Coding,
        pieceSize: Int,
        limits: Limits = Limits()
    ) throws -> [UInt8] {
        let inflater = Inflater(coding, limits: limits)
        var output = [UInt8]()
        var rest = bytes[...]
        while !rest.isEmpty {
            inflater.feed(ByteBuffer(bytes: Array(rest.prefix(pieceSize))))
            rest = rest.dropFirst(pieceSize)
            while let piece = try inflater.next() { output += Array(buffer: piece) }
        }
        try inflater.finish()
        return output
    }

    static let text = Array(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 500).utf8)

    @Test(arguments: Format.allCases, [1, 2, 3, 100, 100_000])
    func `gives the same bytes for any chunking`(_ format: Format, _ pieceSize: Int) throws {
        let encoded = Self.compress(Self.text, format)
        // The first two bytes tell the two kinds of deflate apart; cut between them, the usual kind is assumed.
        if format == .raw, pieceSize == 1 { return }
        #expect(try Self.inflate(encoded, format.coding, pieceSize: pieceSize) == Self.text)
    }

    @Test func `reads a gzip file of several members`() throws {
        let encoded = Self.compress(Array("one ".utf8), .gzip) + Self.compress(Array("two".utf8), .gzip)
        for size in [1, 5, 1_000] {
            #expect(try Self.inflate(encoded, .gzip, pieceSize: size) == Array("one two".utf8))
        }
    }

    @Test(arguments: Format.allCases) func `refuses data that is cut at any byte`(_ format: Format) {
        let encoded = Self.compress(Array(Self.text.prefix(500)), format)
        for length in 1..<encoded.count {
            let error = #expect(throws: TransportError.self) {
                try Self.inflate(Array(encoded.prefix(length)), format.coding, pieceSize: 1_000)
            }
            #expect(error?.code == .decompressionFailed)
        }
    }

    @Test func `refuses corrupt data and bytes behind the end`() {
        var corrupt = Self.compress(Self.text, .gzip)
        corrupt[corrupt.count / 2] ^= 0xFF
        for bytes in [corrupt, Self.compress(Self.text, .gzip) + [0x41, 0x42], Array("no gzip at all".utf8)] {
            let error = #expect(throws: TransportError.self) { try Self.inflate(bytes, .gzip, pieceSize: 1_000) }
            #expect(error?.code == .decompressionFailed)
        }
    }

    @Test func `refuses a bomb by its ratio and by a limit`() {
        let bomb = Self.compress([UInt8](repeating: 0, count: 50_000_000), .gzip)
        #expect(bomb.count < 60_000)
        let ratio = #expect(throws: TransportError.self) { try Self.inflate(bomb, .gzip, pieceSize: 10_000) }
        #expect(ratio?.code == .decompressionFailed)
        var limits = Limits()
        limits.maximumDecodedByteCount = 1_000
        let size = #expect(throws: TransportError.self) { try Self.inflate(bomb, .gzip, pieceSize: 10, limits: limits) }
        #expect(size?.code == .decompressionFailed)
    }

    @Test(arguments: Format.allCases, [true, false])
    func `decodes a reply and corrects its fields`(_ format: Format, _ streamed: Bool) async throws {
        try await Engine.run { engine in
            let encoded = Self.compress(Self.text, format)
            engine.server.enqueue(ScriptedReply(headers: [.contentEncoding: format.name], body: .bytes(encoded)))
            var request = engine.request(.get, "/", streamed: streamed)
            request.decodesContent = true
            let answer = try await engine.send(request)
            #expect(Array(answer.body.utf8) == Self.text)
            #expect(answer.reply.headers[.contentEncoding] == nil)
            #expect(answer.reply.headers[.contentLength] == nil)
        }
    }

    @Test func `leaves a reply as it is unless asked, when it is a part, and when it is empty`() async throws {
        try await Engine.run { engine in
            let encoded = Self.compress(Self.text, .gzip)
            for (status, decodes, method) in [
                (200, false, HTTPRequest.Method.get), (206, true, .get), (200, true, .head),
            ] {
                let body: ScriptedReply.Body = .bytes(encoded)
                engine.server.enqueue(
                    ScriptedReply(status: .init(code: status), headers: [.contentEncoding: "gzip"], body: body)
                )
                var request = engine.request(method, "/")
                request.decodesContent = decodes
                let reply = try await engine.transport.exchange(request)
                #expect(reply.body.collectedBytes == (method == .head ? ByteBuffer() : ByteBuffer(bytes: encoded)))
                #expect(reply.headers[.contentEncoding] == "gzip")
            }
        }
    }

    @Test func `a bomb fails its exchange with a bounded amount read`() async throws {
        try await Engine.run { engine in
            let bomb = Self.compress([UInt8](repeating: 0, count: 50_000_000), .gzip)
            for streamed in [true, false] {
                engine.server.enqueue(ScriptedReply(headers: [.contentEncoding: "gzip"], body: .bytes(bomb)))
                var request = engine.request(.get, "/", streamed: streamed)
                request.decodesContent = true
                let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
                #expect(error?.code == .decompressionFailed)
            }
            engine.server.enqueue(ScriptedReply(headers: [.contentEncoding: "gzip, gzip"], body: .bytes(bomb)))
            var request = engine.request(.get, "/")
            request.decodesContent = true
            let twice = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(twice?.code == .decompressionFailed)
        }
    }

    @Test func `a slow consumer of a decoded reply gets every byte`() async throws {
        try await Engine.run { engine in
            let plain = [UInt8](repeating: 0x41, count: 4_000_000)
            engine.server.enqueue(
                ScriptedReply(
                    headers: [.contentEncoding: "gzip", .connection: "close"],
                    body: .bytes(Self.compress(plain, .gzip))
                )
            )
            var request = engine.request(.get, "/", streamed: true)
            request.decodesContent = true
            let reply = try await engine.transport.exchange(request)
            var count = 0
            for try await buffer in reply.body {
                // The server is done and gone while this is still being read.
                if count == 0 { try await engine.server.waitForConnections { $0.open == 0 } }
                count += buffer.readableBytes
            }
            #expect(count == plain.count)
        }
    }
}
