// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Frames from bytes that may be cut anywhere, and back.
@Suite struct HTTP2FrameReaderTests {
    /// Everything that a reader makes of bytes in pieces of given sizes: the frames, and why it stopped.
    static func read(_ bytes: [UInt8], pieces: () -> Int) -> [String] {
        var reader = HTTP2FrameReader(limits: TransportLimits())
        var seen = [String]()
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                let piece = rest.prefix(pieces())
                rest = rest.dropFirst(piece.count)
                var buffer = ByteBuffer(bytes: piece)
                while let frame = try reader.next(&buffer) { seen.append(Self.text(frame)) }
                #expect(buffer.readableBytes == 0, "all of it was used")
            }
        } catch {
            seen.append("\(error.code) \(error.error.code)")
        }
        return seen
    }

    static func text(_ frame: HTTP2Frame) -> String {
        switch frame {
        case .data(let stream, let bytes, let flowLength, let isEnd):
            "data \(stream) \(Array(bytes.readableBytesView)) \(flowLength) \(isEnd)"
        case .headers(let stream, let block, let isEnd, let byteCount):
            "headers \(stream) \(Array(block.readableBytesView)) \(isEnd) \(byteCount)"
        case .settings(let settings): "settings \(settings.map { "\($0.identifier)=\($0.value)" })"
        default: "\(frame)"
        }
    }

    /// Frames that make sense, and frames that hardly do.
    static func randomBytes(_ random: inout SplitMix) -> [UInt8] {
        var bytes = Wire.settings([(4, 70_000)])
        for _ in 0..<random.below(20) {
            let payload = (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
            let stream = UInt32(1 + random.below(3))
            switch random.below(10) {
            case 0: bytes += Wire.data(stream, payload, isEnd: random.below(2) == 0)
            case 1: bytes += Wire.frame(0, flags: 9, stream: stream, [UInt8(payload.count / 2)] + payload)
            case 2: bytes += Wire.frame(1, flags: 5, stream: stream, payload)
            case 3:
                bytes += Wire.frame(1, stream: stream, payload)
                for _ in 0..<random.below(3) { bytes += Wire.frame(9, stream: stream, payload) }
                bytes += Wire.frame(9, flags: 4, stream: stream, payload)
            case 4: bytes += Wire.reset(stream, UInt32(random.below(20)))
            case 5: bytes += Wire.settings([(UInt16(random.below(9)), UInt32(random.below(100_000)))])
            case 6: bytes += Wire.frame(6, flags: UInt8(random.below(2)), [UInt8](repeating: 7, count: 8))
            case 7: bytes += Wire.windowUpdate(UInt32(random.below(4)), UInt32(random.below(1000)))
            case 8:
                bytes += Wire.frame(
                    UInt8(10 + random.below(200)),
                    flags: UInt8(random.below(256)),
                    stream: stream,
                    payload
                )
            default:
                if random.below(10) == 0 {
                    bytes += Wire.frame(
                        UInt8(random.below(10)),
                        flags: UInt8(random.below(256)),
                        stream: stream,
                        payload
                    )
                } else {
                    bytes += Wire.goAway(stream)
                }
            }
        }
        return bytes
    }

    @Test(arguments: 0..<40) func `pieces of any size give the same frames`(seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<25 {
            let bytes = Self.randomBytes(&random)
            let whole = Self.read(bytes) { bytes.count }
            #expect(Self.read(bytes) { 1 } == whole)
            var sizes = SplitMix(state: seed &+ 99)
            #expect(Self.read(bytes) { 1 + sizes.below(30) } == whole)
        }
    }

    @Test(arguments: 0..<20) func `bytes without any sense are an error or wait for more`(seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<200 {
            let bytes = Wire.settings() + (0..<random.below(300)).map { _ in UInt8(random.below(256)) }
            let whole = Self.read(bytes) { bytes.count }
            #expect(Self.read(bytes) { 1 } == whole)
        }
    }

    @Test func `what the writer writes the reader reads`() {
        let block = ByteBuffer(bytes: (0..<40_000).map { UInt8(truncatingIfNeeded: $0) })
        var buffer = ByteBuffer()
        HTTP2FrameWriter.settings([(1, 2), (0xFFFF, .max)], into: &buffer)
        HTTP2FrameWriter.settingsAcknowledgement(into: &buffer)
        HTTP2FrameWriter.headers(block, stream: 7, isEnd: true, maximumFrameSize: 16_384, into: &buffer)
        HTTP2FrameWriter.headers(ByteBuffer(), stream: 9, isEnd: false, maximumFrameSize: 16_384, into: &buffer)
        HTTP2FrameWriter.data(ByteBuffer(bytes: [1, 2]), stream: 9, isEnd: false, into: &buffer)
        HTTP2FrameWriter.data(ByteBuffer(), stream: 0x7FFF_FFFF, isEnd: true, into: &buffer)
        HTTP2FrameWriter.reset(stream: 9, code: .cancel, into: &buffer)
        HTTP2FrameWriter.windowUpdate(stream: 0, increment: 0x7FFF_FFFF, into: &buffer)
        HTTP2FrameWriter.ping(42, isAcknowledgement: false, into: &buffer)
        HTTP2FrameWriter.ping(.max, isAcknowledgement: true, into: &buffer)
        HTTP2FrameWriter.goAway(code: .enhanceYourCalm, into: &buffer)
        let frames = Self.read(Array(buffer.readableBytesView)) { 1000 }
        let expected: [HTTP2Frame] = [
            .settings([(1, 2), (0xFFFF, .max)]), .settingsAcknowledgement,
            .headers(stream: 7, block: block, isEnd: true, byteCount: 40_000 + 3 * 9),
            .headers(stream: 9, block: ByteBuffer(), isEnd: false, byteCount: 9),
            .data(stream: 9, bytes: ByteBuffer(bytes: [1, 2]), flowLength: 2, isEnd: false),
            .data(stream: 0x7FFF_FFFF, bytes: ByteBuffer(), flowLength: 0, isEnd: true),
            .reset(stream: 9, code: .cancel), .windowUpdate(stream: 0, increment: 0x7FFF_FFFF),
            .ping(42), .pingAcknowledgement, .goAway(lastStream: 0, code: .enhanceYourCalm),
        ]
        #expect(frames == expected.map(Self.text))
    }
}
