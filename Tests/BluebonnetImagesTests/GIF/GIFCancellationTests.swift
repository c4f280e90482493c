// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetImages

@Suite(.timeLimit(.minutes(1))) struct GIFCancellationTests {
    /// 5,376 pixels of the first color; before each the table is cleared.
    ///
    /// Three bytes hold four times the codes 4 and 0, each of three bits.
    private static let codes: [UInt8] = {
        let block: [UInt8] = [252] + Array(repeating: [0x04, 0x41, 0x10] as [UInt8], count: 84).flatMap { $0 }
        return [2] + Array(repeating: block, count: 16).flatMap { $0 } + [0]
    }()

    @Test(.bug(id: "F269")) func `a cancelled task stops within the codes of a frame`() async throws {
        let count = 5_376
        let indices = try GIFCodes.decode(ImageBytes(Self.codes), at: 0, count: count)
        #expect(indices == Array(repeating: 0, count: count))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try GIFCodes.decode(ImageBytes(Self.codes), at: 0, count: count)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(.bug(id: "F269")) func `a cancelled task stops between the rows of a frame`() async throws {
        let header: [UInt8] = [2, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2, 0x04, 0x51, 0, 0x3B]
        let file = try GIFFile(ImageBytes(Array("GIF89a".utf8) + header + frame), limits: ImageLimits())
        #expect(try file.pixels(of: 0..<1) { $0 }.first?.bytes == [255, 0, 0, 255, 255, 0, 0, 255])
        let first = try #require(file.frames.first)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var screen = [UInt8](repeating: 0, count: 8)
            try file.draw(first, on: &screen)
            return screen
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
