// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTransport

@Suite struct ServerHelloReaderTests {
    private static let retry: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]

    private static func hello(
        _ suite: UInt16 = 0x1301,
        random: [UInt8] = Array(repeating: 7, count: 32),
        session: [UInt8] = Array(repeating: 9, count: 32)
    ) -> [UInt8] {
        let body =
            [3, 3] + random + [UInt8(session.count)] + session
            + [UInt8(suite >> 8), UInt8(suite & 0xFF), 0, 0, 6, 0, 0x2B, 0, 2, 3, 4]
        return [2, 0, 0, UInt8(body.count)] + body
    }

    private static func record(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [type, 3, 3, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    private static func read(_ bytes: [UInt8], pieceSize: Int) -> ServerHelloReader.Progress {
        var reader = ServerHelloReader()
        var rest = bytes[...]
        while !rest.isEmpty {
            let progress = reader.read(rest.prefix(pieceSize))
            if progress != .needsMore { return progress }
            rest = rest.dropFirst(pieceSize)
        }
        return .needsMore
    }

    private static let found: [(String, [UInt8])] = [
        ("alone", Self.record(22, Self.hello())),
        ("without a session", Self.record(22, Self.hello(session: []))),
        ("with the next message", Self.record(22, Self.hello() + [11, 0, 0, 0])),
        (
            "in two records",
            Self.record(22, Array(Self.hello().prefix(9))) + Self.record(22, Array(Self.hello().dropFirst(9)))
        ),
        (
            "after a retry",
            Self.record(22, Self.hello(0x1303, random: Self.retry)) + Self.record(20, [1])
                + Self.record(22, Self.hello())
        ),
    ]

    @Test(arguments: Self.found) func `finds the suite, whatever the pieces are`(_ name: String, _ bytes: [UInt8]) {
        for size in 1...bytes.count {
            #expect(Self.read(bytes, pieceSize: size) == .found(CipherSuite(rawValue: 0x1301)), "\(size)")
        }
    }

    @Test func `needs more until the hello is whole`() {
        let bytes = Self.record(22, Self.hello())
        for count in 0..<bytes.count {
            #expect(Self.read(Array(bytes.prefix(count)), pieceSize: .max) == .needsMore)
        }
    }

    @Test(
        arguments: [
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [21, 3, 3, 0, 2, 2, 40], [22, 3, 3, 0xFF, 0xFF],
            Self.record(22, [1, 0, 0, 0]), Self.record(22, [2, 0, 0, 3, 1, 2, 3]), Self.record(22, [2, 0xFF, 0, 0]),
            Self.record(22, [2, 0, 0, 36] + Array(repeating: 1, count: 34) + [255, 0]),
        ] as [[UInt8]]
    ) func `gives up on what is no hello`(_ bytes: [UInt8]) {
        #expect(Self.read(bytes, pieceSize: .max) == .givenUp)
    }

    @Test func `random bytes are never more than not understood`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...120, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if count > 12 {
                bytes.replaceSubrange(0..<9, with: [22, 3, 3, 0, UInt8(count - 5), 2, 0, 0, bytes[8] & 0x7F])
            }
            _ = Self.read(bytes, pieceSize: 7)
        }
    }

    @Test func `names what it knows and numbers what it does not`() {
        #expect("\(CipherSuite(rawValue: 0x1301))" == "TLS_AES_128_GCM_SHA256")
        #expect("\(CipherSuite(rawValue: 0xFEED))" == "0xfeed")
    }
}
