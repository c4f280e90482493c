// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite(.timeLimit(.minutes(2))) struct BodyDecoderTests {
    static func decode(
        _ bytes: [UInt8],
        _ codings: [ContentCoding],
        pieceSize: Int,
        limits: TransportLimits = TransportLimits()
    ) throws -> [UInt8] {
        let decoder = BodyDecoder(codings, limits: limits)
        var output = [UInt8]()
        var rest = bytes[...]
        while !rest.isEmpty {
            decoder.feed(ByteBuffer(bytes: rest.prefix(pieceSize)))
            rest = rest.dropFirst(pieceSize)
            while let piece = try decoder.next() {
                #expect((1...BodyDecoder.pieceSize).contains(piece.readableBytes))
                output += Array(buffer: piece)
            }
        }
        try decoder.finish()
        return output
    }

    /// Bytes that compress a little, the same ones every time.
    static func noise(_ count: Int) -> [UInt8] {
        var state: UInt32 = 1
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24) & 0x3F
        }
    }

    static let samples: [[UInt8]] = [
        [], [0x41], EncodedFormat.text, noise(20_000),
        // Ends of the data that fall together with ends of pieces.
        [UInt8](repeating: 7, count: BodyDecoder.pieceSize), [UInt8](repeating: 7, count: 3 * BodyDecoder.pieceSize),
        [UInt8](repeating: 7, count: 3 * BodyDecoder.pieceSize + 1),
    ]

    @Test(arguments: EncodedFormat.allCases, [1, 2, 3, 100, 1 << 20])
    func `gives the same bytes for any chunking`(_ format: EncodedFormat, _ pieceSize: Int) throws {
        // Noise of several pieces takes a debug build seconds, byte for byte.
        for sample in Self.samples + (pieceSize < 100 ? [] : [Self.noise(200_000)]) {
            let decoded = try Self.decode(format.encode(sample), [format.coding], pieceSize: pieceSize)
            #expect(decoded == sample)
        }
    }

    @Test(arguments: EncodedFormat.allCases) func `gives the same bytes cut anywhere`(_ format: EncodedFormat) throws {
        let plain = Array(EncodedFormat.text.prefix(900)) + Self.noise(100)
        let encoded = format.encode(plain)
        for cut in 1..<encoded.count {
            let decoder = BodyDecoder([format.coding], limits: TransportLimits())
            var output = [UInt8]()
            for part in [encoded[..<cut], encoded[cut...]] {
                decoder.feed(ByteBuffer(bytes: part))
                while let piece = try decoder.next() { output += Array(buffer: piece) }
            }
            try decoder.finish()
            #expect(output == plain)
        }
    }

    @Test(arguments: EncodedFormat.allCases) func `refuses data that is cut at any byte`(_ format: EncodedFormat) {
        let encoded = format.encode(Array(EncodedFormat.text.prefix(500)))
        for length in 1..<encoded.count {
            let error = #expect(throws: TransportError.self) {
                try Self.decode(Array(encoded.prefix(length)), [format.coding], pieceSize: 1_000)
            }
            #expect(error?.code == .decompressionFailed)
        }
    }

    @Test(arguments: EncodedFormat.allCases) func `takes an empty body for one`(_ format: EncodedFormat) throws {
        #expect(try Self.decode([], [format.coding], pieceSize: 1) == [])
    }

    @Test(arguments: EncodedFormat.allCases) func `refuses bytes behind the end, and what is no such data`(
        _ format: EncodedFormat
    ) {
        let encoded = format.encode(EncodedFormat.text)
        var cases = [encoded + [0x41, 0x42], [0xFF, 0xFF] + encoded, Array("this is nothing encoded".utf8)]
        if format == .gzip {
            var corrupt = encoded
            corrupt[corrupt.count / 2] ^= 0xFF
            cases.append(corrupt)
        }
        for (bytes, size) in cases.flatMap({ bytes in [1, 7, 100_000].map { (bytes, $0) } }) {
            let error = #expect(throws: TransportError.self) {
                try Self.decode(bytes, [format.coding], pieceSize: size)
            }
            #expect(error?.code == .decompressionFailed)
        }
    }

    @Test(arguments: EncodedFormat.allCases) func `refuses a bomb by its ratio and by a limit`(_ format: EncodedFormat)
    {
        let bomb = format.encode([UInt8](repeating: 0, count: 50_000_000))
        #expect(bomb.count < 60_000)
        let ratio = #expect(throws: TransportError.self) {
            try Self.decode(bomb, [format.coding], pieceSize: 10_000)
        }
        #expect(ratio?.reason.contains("200 times") == true)
        var limits = TransportLimits()
        limits.maximumDecodedByteCount = 1_000
        let size = #expect(throws: TransportError.self) {
            try Self.decode(bomb, [format.coding], pieceSize: 10, limits: limits)
        }
        #expect(size?.reason.contains("1000 bytes") == true)
    }

    @Test func `refuses a bomb inside a harmless coding, and one that shrinks again`() {
        let zeros = [UInt8](repeating: 0, count: 50_000_000)
        // Twice compressed, a bomb is a few hundred bytes; decoded once, a few thousand.
        let nested = EncodedFormat.gzip.encode(EncodedFormat.zlib.encode(zeros))
        #expect(nested.count < 1_000)
        let error = #expect(throws: TransportError.self) {
            try Self.decode(nested, [.gzip, .deflate], pieceSize: 100)
        }
        #expect(error?.code == .decompressionFailed)
        // A long run of empty members: many bytes for the inner coding, none for the reader.
        let empty = Array(repeatElement(EncodedFormat.gzip.encode([]), count: 300_000).joined())
        let idle = EncodedFormat.gzip.encode(empty)
        let ratio = #expect(throws: TransportError.self) { try Self.decode(idle, [.gzip, .gzip], pieceSize: 1_000) }
        #expect(ratio?.reason.contains("bring 0 bytes of data") == true)
    }

    /// Bodies of two million bytes that decode to nothing and could go on without an end.
    static let idleBodies: [(name: String, bytes: [UInt8], codings: [ContentCoding])] = {
        let block = repeatElement([0, 0, 0, 0xFF, 0xFF] as [UInt8], count: 400_000).joined()
        let members = Array(repeatElement(EncodedFormat.gzip.encode([]), count: 100_000).joined())
        return [
            (
                "a file name", [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 255] + [UInt8](repeating: 0x61, count: 2_000_000),
                [.gzip]
            ),
            ("empty blocks of gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + block, [.gzip]),
            ("empty blocks of deflate", [0x78, 0x9C] + block, [.deflate]),
            ("empty members", members, [.gzip]),
            ("empty members inside another coding", EncodedFormat.gzip.encode(members), [.gzip, .gzip]),
        ]
    }()

    @Test(.bug(id: "F930"), arguments: idleBodies.indices, [1_000, 65_536, 4_000_000])
    func `refuses a body that goes on without data`(_ index: Int, _ pieceSize: Int) {
        let (name, bytes, codings) = Self.idleBodies[index]
        let error = #expect(throws: TransportError.self) { try Self.decode(bytes, codings, pieceSize: pieceSize) }
        #expect(error?.code == .decompressionFailed, "\(name)")
        #expect(error?.reason.contains("bring 0 bytes of data") == true, "\(name)")
    }

    @Test(.bug(id: "F930")) func `reads a body that is mostly framing`() throws {
        let members = Array(repeatElement(EncodedFormat.gzip.encode([0x41]), count: 100_000).joined())
        #expect(members.count > 2 * BodyDecoder.emptyFloor)
        let decoded = try Self.decode(members, [.gzip], pieceSize: 65_536)
        #expect(decoded == [UInt8](repeating: 0x41, count: 100_000))
    }

    @Test(arguments: [1, 5, 1_000]) func `reads data of several parts`(_ size: Int) throws {
        var formats = [EncodedFormat.gzip]
        #if Zstandard
        formats.append(.zstandard)
        #endif
        for format in formats {
            let encoded = ["one ", "", "two"].flatMap { format.encode(Array($0.utf8)) }
            #expect(try Self.decode(encoded, [format.coding], pieceSize: size) == Array("one two".utf8))
        }
    }

    #if Zstandard
    @Test(.bug(id: "F376")) func `a window of Zstandard above 8 MiB is refused with the reason`() throws {
        let body = EncodedFormat.zstandard(EncodedFormat.text, windowLog: 24)
        let error = #expect(throws: TransportError.self) { try Self.decode(body, [.zstandard], pieceSize: 100) }
        #expect(error?.code == .decompressionFailed)
        #expect(error?.reason.contains("8 MiB") == true)
        let allowed = EncodedFormat.zstandard(EncodedFormat.text, windowLog: 23)
        #expect(try Self.decode(allowed, [.zstandard], pieceSize: 100) == EncodedFormat.text)
    }
    #endif

    @Test func `small pieces do not keep large buffers alive`() throws {
        let decoder = BodyDecoder([.gzip], limits: TransportLimits())
        decoder.feed(ByteBuffer(bytes: EncodedFormat.gzip.encode(Array("few".utf8))))
        let piece = try #require(try decoder.next())
        #expect(piece.storageCapacity < 1_000)
    }
}
