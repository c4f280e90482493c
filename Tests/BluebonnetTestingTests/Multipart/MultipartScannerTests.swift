// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTesting

struct MultipartScannerTests {
    struct Part: Equatable {
        var name: String?
        var filename: String?
        var bytes: [UInt8] = []
    }

    /// Runs a scanner over a body that arrives in pieces of the given sizes, repeated as needed.
    static func scan(_ body: [UInt8], boundary: String = "b", sizes: [Int]) throws(ContentError) -> [Part] {
        var scanner = MultipartScanner(boundary: boundary)
        var parts: [Part] = []
        var ended = 0
        var rest = body[...]
        var turn = 0
        while !rest.isEmpty {
            let size = min(max(1, sizes[turn % sizes.count]), rest.count)
            turn += 1
            try scanner.receive(ByteBuffer(bytes: rest.prefix(size))) { event throws(ContentError) in
                switch event {
                case .part(let headers): parts.append(Part(name: headers.name, filename: headers.filename))
                case .bytes(let bytes): parts[parts.count - 1].bytes += Array(buffer: bytes)
                case .end: ended += 1
                }
            }
            rest = rest.dropFirst(size)
        }
        try scanner.finish()
        #expect(ended == parts.count)
        return parts
    }

    static let body = Array(
        """
        --b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n\
        --b\r\nContent-Disposition: form-data; name="f"; filename="x;\\"y\\".bin"\r\nContent-Type: a/b\r\n\r\n\r\n--\r\n--c\r\n-\r\n--B\r\r\n\r\n\
        --b  \t\r\ncontent-disposition:form-data;name=empty\r\n\r\n\r\n\
        --b\r\nContent-Disposition: form-data; name="none"\r\n\r\n\
        --b--\r\nepilogue --b\r\n
        """.utf8
    )
    static let parts = [
        Part(name: "a", bytes: Array("one".utf8)),
        Part(name: "f", filename: "x;\"y\".bin", bytes: Array("\r\n--\r\n--c\r\n-\r\n--B\r\r\n".utf8)),
        Part(name: "empty"),
        Part(name: "none"),
    ]

    @Test(arguments: 1...40)
    func `finds the same parts however the body is cut`(size: Int) throws {
        #expect(try Self.scan(Self.body, sizes: [size]) == Self.parts)
    }

    @Test func `finds the same parts with one cut at every place`() throws {
        for cut in 1..<Self.body.count {
            #expect(try Self.scan(Self.body, sizes: [cut, Self.body.count]) == Self.parts, "cut at \(cut)")
        }
    }

    @Test(arguments: 0..<40)
    func `finds random contents however they are cut`(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed) &* 977 &+ 5)
        let boundary = String(repeating: "-", count: Int.random(in: 0...4, using: &random)) + "bX"
        // Contents made of the letters of the delimiter itself come close to it all the time.
        let letters = Array("\r\n-bX".utf8)
        var expected: [Part] = []
        var body: [UInt8] = seed % 2 == 0 ? [] : Array("preamble\r\n--\r\n".utf8)
        for number in 0..<Int.random(in: 1...6, using: &random) {
            var bytes = (0..<Int.random(in: 0...400, using: &random)).compactMap { _ in
                letters.randomElement(using: &random)
            }
            while let place = Self.place(of: Array("\r\n--\(boundary)".utf8), in: Array("\r\n".utf8) + bytes) {
                bytes[max(0, place - 1)] = UInt8(ascii: "Q")
                bytes[min(bytes.count - 1, place + 2)] = UInt8(ascii: "Q")
            }
            expected.append(Part(name: "p\(number)", bytes: bytes))
            body +=
                Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"p\(number)\"\r\n\r\n".utf8) + bytes + [
                    0x0D, 0x0A,
                ]
        }
        body += Array("--\(boundary)--".utf8)
        for _ in 0..<10 {
            let sizes = (0..<7).map { _ in Int.random(in: 1...60, using: &random) }
            #expect(try Self.scan(body, boundary: boundary, sizes: sizes) == expected)
        }
    }

    private static func place(of needle: [UInt8], in bytes: [UInt8]) -> Int? {
        bytes.indices.first { bytes[$0...].starts(with: needle) }
    }

    @Test(arguments: [
        "", "--b", "--b\r\n", "--b\r\n\r\nabc", "--b\r\n\r\nabc\r\n--b", "--b\r\n\r\nabc--b--",
        "--b\r\n\r\nabc\r\n--bc\r\n--b--",
        "--b\n\nabc\n--b--\n", "--b\r\nno colon\r\n\r\n\r\n--b--", "--b\r\nbad name: x\r\n\r\n\r\n--b--",
        "--b\r\nA: x\n\r\n\r\n\r\n--b--",
        "--b --\r\n",
    ])
    func `refuses a body that breaks the rules`(text: String) {
        for size in [1, 3, 1000] {
            #expect(throws: ContentError.self) { try Self.scan(Array(text.utf8), sizes: [size]) }
        }
    }

    @Test func `refuses headers without an end`() {
        let body = Array("--b\r\nA: ".utf8) + [UInt8](repeating: 0x61, count: 70_000)
        #expect(throws: ContentError.self) { try Self.scan(body, sizes: [1000]) }
    }
}

/// Random numbers that are the same at every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var word = self.state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
