// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import TestSupport
import Testing

/// Files of the formats that need no library, and that cost more than they are.
@Suite(.timeLimit(.minutes(2))) struct HostileBitmapTests {
    @Test(.bug(id: "F178")) func `an X bitmap with a header without end takes little memory`() throws {
        let start = Array("#define a_width 1\n#define a_height 1\n".utf8)
        for words in ["#define a_width 1 ", "static char "] {
            let filler = [UInt8](String(repeating: "a ", count: 6 << 20).utf8)
            let data = Data(start + Array(words.utf8) + filler + Array("{0};".utf8))
            let growth = ResidentMemory.peakGrowth {
                #expect(throws: ImageError(.malformed, reason: "")) { try Image(data) }
            }
            #expect(growth ?? 0 < 100 << 20)
        }
    }

    @Test func `the header of an X bitmap may have comments`() async throws {
        let comment = "/* " + String(repeating: "c ", count: 10_000) + "*/\n"
        let text = "#define a_width 2\n#define a_height 1\n\(comment)static char a_bits[] = { 0x01 };\n"
        let image = try Image(Data(text.utf8), as: .xbm)
        #expect(try await image.pixels(layout: .rgba).bytes == [0, 0, 0, 255, 255, 255, 255, 255])
    }

    /// A bitmap of 4 × 4 pixels in one color, compressed as runs.
    private static func bitmap(_ runs: [UInt8]) -> Data {
        func word(_ value: Int) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }
        let file = Array("BM".utf8) + word(62 + runs.count) + word(0) + word(62)
        let header = word(40) + word(4) + word(4) + [1, 0, 8, 0] + word(1) + word(runs.count) + word(0) + word(0)
        return Data(file + header + word(2) + word(0) + [0, 0, 0, 0, 255, 255, 255, 0] + runs)
    }

    @Test(.bug(id: "F179")) func `runs beyond the end of a row do not keep a cancelled task`() async throws {
        // The second row, in which nothing else was checked, and then a million runs of 255 pixels.
        let long = (0..<2_000_000).map { UInt8($0 % 2 == 0 ? 255 : 1) }
        let runs: [UInt8] = [0, 0] + long + [0, 1]
        let data = Self.bitmap(runs)
        let image = try Image(data)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try SystemImageDecoder().pixels(
                of: data,
                header: image.header,
                request: ImageDecodingRequest(),
                limits: ImageLimits()
            )
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `runs beyond the end of a row are cut`() async throws {
        let image = try Image(Self.bitmap([9, 1, 2, 1, 0, 0, 1, 1, 0, 3, 1, 1, 1, 0, 0, 1]))
        let pixels = try await image.pixels(layout: .rgba).bytes
        let rows = stride(from: 48, through: 0, by: -16).map { row in
            stride(from: row, to: row + 16, by: 4).map { pixels[$0] }
        }
        #expect(rows == [[255, 255, 255, 255], [255, 255, 255, 255], [0, 0, 0, 0], [0, 0, 0, 0]])
    }
}
