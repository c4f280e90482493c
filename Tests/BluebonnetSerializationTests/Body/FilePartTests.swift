// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct FilePartTests {
    private static let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test(arguments: [0..<1_000, 0..<1, 999..<1_000, 100..<700, 0..<0, 1_000..<1_000] as [Range<Int64>])
    func `a part of a file has its bytes, its length, and can be read again`(_ part: Range<Int64>) throws {
        let directory = try TemporaryDirectory()
        let body = RequestBody.file(try directory.makeFile("f", Self.bytes), bytes: part)
        #expect(body.contentLength == Int64(part.count))
        #expect(body.isReplayable)
        let expected = Data(Self.bytes[Int(part.lowerBound)..<Int(part.upperBound)])
        for _ in 0..<2 { #expect(try body.collect() == expected) }
    }

    @Test(arguments: [0..<1_001, 1_001..<1_001, 1_000..<Int64.max, -1..<1, Int64.min..<Int64.max] as [Range<Int64>])
    func `bytes that a file does not have are an error`(_ part: Range<Int64>) throws {
        let directory = try TemporaryDirectory()
        let body = RequestBody.file(try directory.makeFile("f", Self.bytes), bytes: part)
        let error = #expect(throws: SerializationError.self) { try body.makeReader() }
        #expect(error?.code == .lengthMismatch)
        #expect(error?.reason.contains("the 1000 bytes of the file “f”") == true)
    }

    @Test func `a file that is missing, or is none, is an error of its own`() throws {
        let directory = try TemporaryDirectory()
        let cases: [(URL, SerializationError.Code)] = [
            (directory.file("none"), .fileNotFound), (directory.url, .notARegularFile),
        ]
        for (file, code) in cases {
            let body = RequestBody.file(file, bytes: 0..<1)
            #expect(throws: SerializationError(code, reason: "")) { try body.makeReader() }
        }
    }

    @Test func `a file may grow behind the part, and shrink no further than its end`() throws {
        let directory = try TemporaryDirectory()
        let body = RequestBody.file(try directory.makeFile("f", Self.bytes), bytes: 100..<300)
        var reader = try body.makeReader()
        var buffer = [UInt8](repeating: 0, count: 100)
        let readPiece = { try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } }
        #expect(try readPiece() == 100)
        try directory.resize("f", to: 2_000)
        #expect(try readPiece() == 100)
        #expect(try readPiece() == 0)
        reader = try body.makeReader()
        #expect(try readPiece() == 100)
        try directory.resize("f", to: 250)
        #expect(try readPiece() == 50)
        #expect(throws: SerializationError(.lengthMismatch, reason: "")) { try readPiece() }
    }
}
