// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

/// The header compression of HTTP/2 against the examples of RFC 7541 Appendix C, and against blocks that break its rules.
@Suite(.timeLimit(.minutes(2))) struct HPACKTests {
    struct Block: Decodable, Sendable {
        var bytes: String
        var fields: [String]
    }

    struct Conversation: Decodable, Sendable, CustomTestStringConvertible {
        var section: String
        var blocks: [Block]
        var testDescription: String { self.section }
    }

    struct Fault: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: String
        var fault: String
        var testDescription: String { self.name }
    }

    private struct Fixture: Decodable {
        var responses: [Conversation]
        var requests: [Block]
        var faults: [Fault]
    }

    private static let fixture: Fixture = {
        guard let url = Bundle.module.url(forResource: "hpack", withExtension: "json", subdirectory: "Fixtures"),
            let data = try? Data(contentsOf: url), let fixture = try? JSONDecoder().decode(Fixture.self, from: data)
        else { preconditionFailure("the fixture hpack.json cannot be read") }
        return fixture
    }()

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.filter { $0 != 0x20 }
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }

    private static func decode(_ bytes: [UInt8], with decoder: inout HPACKDecoder) throws(HPACKFault) -> [String] {
        var lines = [String]()
        try decoder.decode(ByteBuffer(bytes: bytes)) { lines.append($0.line) }
        return lines
    }

    private static func encode(_ line: String, with encoder: inout HPACKEncoder, into block: inout ByteBuffer) {
        let colon = line.utf8.dropFirst().firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = String(line[colon...].dropFirst(2))
        value.withUTF8 { encoder.append(String(line[..<colon]), $0, indexing: .incremental, into: &block) }
    }

    @Test(arguments: Self.fixture.responses) func `responses of the appendix are read`(_ example: Conversation) throws {
        var decoder = HPACKDecoder()
        for block in example.blocks {
            #expect(try Self.decode(Self.bytes(block.bytes), with: &decoder) == block.fields)
        }
    }

    @Test func `requests of the appendix are written to the byte`() {
        var encoder = HPACKEncoder()
        for example in Self.fixture.requests {
            var block = ByteBuffer()
            encoder.begin(&block)
            for line in example.fields { Self.encode(line, with: &encoder, into: &block) }
            #expect(Array(block.readableBytesView) == Self.bytes(example.bytes))
        }
    }

    @Test(arguments: Self.fixture.faults) func `a block that breaks a rule is refused`(_ example: Fault) {
        var decoder = HPACKDecoder()
        let fault = #expect(throws: HPACKFault.self) {
            _ = try Self.decode(Self.bytes(example.bytes), with: &decoder)
        }
        #expect(fault.map { "\($0)" } == example.fault)
    }

    @Test func `a block that is cut anywhere is a prefix or is refused`() throws {
        for example in Self.fixture.responses.compactMap(\.blocks.first) {
            let bytes = Self.bytes(example.bytes)
            var whole = 0
            for count in 0...bytes.count {
                var decoder = HPACKDecoder()
                guard let lines = try? Self.decode(Array(bytes.prefix(count)), with: &decoder) else { continue }
                #expect(lines == Array(example.fields.prefix(lines.count)))
                whole += 1
            }
            #expect(whole == example.fields.count + 2, "after each field, after the size, and before it")
        }
    }

    @Test(arguments: 0..<50) func `no bytes make it trap`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var decoder = HPACKDecoder()
        for _ in 0..<400 {
            let bytes = (0..<random.below(60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            _ = try? Self.decode(bytes, with: &decoder)
        }
        #expect((try? Self.decode([0x88], with: &decoder)) == [":status: 200"])
    }

    @Test func `every byte comes back from the code`() {
        for first in UInt8.min...UInt8.max {
            let text = [first, UInt8(ascii: "a"), first, first]
            var coded = ByteBuffer()
            text.withUnsafeBufferPointer { HPACKHuffman.encode($0, into: &coded) }
            #expect(text.withUnsafeBufferPointer { HPACKHuffman.encodedCount($0) } == coded.readableBytes)
            let decoded = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { room in
                coded.withUnsafeReadableBytes { HPACKHuffman.decode($0, into: room) }.map { Array(room[..<$0]) }
            }
            #expect(decoded == text)
        }
    }

    @Test func `a name that is not UTF-8 counts for the bytes that were sent`() throws {
        var decoder = HPACKDecoder()
        // A field, and one of 2,000 bytes, which as text would be 6,000 and push the other one out.
        let name = [0x40, 0x7F, 0xD1, 0x0E] + [UInt8](repeating: 0xFF, count: 2_000) + [0x00]
        #expect(try Self.decode([0x40, 1, 0x61, 1, 0x62] + name, with: &decoder).count == 2)
        #expect(try Self.decode([0x80 | 63], with: &decoder) == ["a: b"])
    }

    private static func field(_ name: ResponseField.Name, _ count: Int) -> ResponseField {
        [UInt8](repeating: 0x61, count: count).withUnsafeBufferPointer { ResponseField(name: name, value: $0) }
    }

    @Test func `the table keeps to its size`() throws {
        var table = HPACKDynamicTable<ResponseField>()
        let name = ResponseField.Name("x-large")
        for count in 0..<200 {
            table.insert(Self.field(name, count * 7 % 1000))
            #expect(table.size <= 4096)
            #expect(table.size == table.entries.reduce(0) { $0 + $1.byteCount + 32 })
        }
        table.insert(Self.field(name, 4096))
        #expect(table.entries.isEmpty && table.size == 0, "larger than the table")
        table.insert(Self.field(name, 1))
        table.resize(to: 39)
        #expect(table.entries.isEmpty)
    }
}

extension ResponseField {
    /// The field as a line of text.
    var line: String {
        switch self.content {
        case .status(let status): ":status: \(status.code)"
        case .field(let field): "\(field.name.rawName): \(field.value)"
        case .fault(let reason): "fault: \(reason)"
        }
    }
}
