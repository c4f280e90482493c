// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHPACK
import Testing

@testable import BluebonnetTransport

/// The header compression against one that others have written, over conversations in which the table turns over many times.
@Suite(.timeLimit(.minutes(2))) struct HPACKPeerTests {
    private typealias Pair = (name: String, value: String)

    private static let names = ["server", "x-request-id", "set-cookie", "accept-encoding", "date", "a"]

    /// Fields as a server would send them: some again and again, some never twice.
    private static func fields(_ random: inout SplitMix) -> [Pair] {
        (0..<random.below(12)).map { _ in
            let name = Self.names[random.below(Self.names.count)]
            if random.below(2) == 0 {
                return (name, ["gzip, deflate", "", "nginx", "\u{E9}\u{1F338}"][random.below(4)])
            }
            let count = [3, 40, 400, 5000][random.below(4)]
            let scalars = (0..<random.below(count)).map { _ in Unicode.Scalar(UInt8(0x21 + random.below(94))) }
            return (name, String(String.UnicodeScalarView(scalars)))
        }
    }

    @Test(arguments: 0..<20) func `what another program writes is read`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var encoder = NIOHPACK.HPACKEncoder(allocator: ByteBufferAllocator())
        var decoder = BluebonnetTransport.HPACKDecoder()
        for _ in 0..<100 {
            let fields = Self.fields(&random)
            if random.below(20) == 0 { try encoder.setDynamicTableSize([0, 64, 1000, 4096][random.below(4)]) }
            try encoder.beginEncoding(allocator: ByteBufferAllocator())
            for (name, value) in fields {
                switch random.below(3) {
                case 0: try encoder.append(header: name, value: value)
                case 1: try encoder.appendNonIndexed(header: name, value: value)
                default: try encoder.appendNeverIndexed(header: name, value: value)
                }
            }
            var lines = [String]()
            try decoder.decode(try encoder.endEncoding()) { lines.append($0.line) }
            let isSame = lines == fields.map { "\($0.name): \($0.value)" }
            #expect(isSame)
        }
    }

    @Test(arguments: 0..<20) func `what is written is read by another program`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var encoder = BluebonnetTransport.HPACKEncoder()
        var decoder = NIOHPACK.HPACKDecoder(allocator: ByteBufferAllocator())
        for _ in 0..<100 {
            let fields = Self.fields(&random)
            for _ in 0..<random.below(20) / 17 {
                let size = [0, 64, 1000, 4096, 1 << 30][random.below(5)]
                encoder.allowTable(of: size)
            }
            var block = ByteBuffer()
            encoder.begin(&block)
            for (name, value) in fields {
                let indexing: [BluebonnetTransport.HPACKEncoder.Indexing] = [.incremental, .without, .never]
                var value = value
                value.withUTF8 { encoder.append(name, $0, indexing: indexing[random.below(3)], into: &block) }
            }
            let read = try decoder.decodeHeaders(from: &block)
            let isSame = read.elementsEqual(fields) { $0.name == $1.name && $0.value == $1.value }
            #expect(isSame)
        }
    }
}
