// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import Synchronization
import Testing

/// Animations that are shown frame by frame; every decoding starts at the first frame.
@Suite(.timeLimit(.minutes(1))) struct FrameByFrameTests {
    /// Ten frames of 64 bytes.
    private static func header(_ format: ImageFormat) -> ImageHeader {
        let frames = Array(repeating: ImageFrame(duration: .milliseconds(40)), count: 10)
        return ImageHeader(format: format, width: 4, height: 4, frames: frames)
    }

    @Test(
        .bug(id: "F585"),
        arguments: [(ImageLimits(), 2), (ImageLimits(keptByteCount: 3 * 64), 4), (ImageLimits(keptByteCount: 64), 10)]
    )
    func `the frames that may be kept are decoded in one pass`(_ limits: ImageLimits, _ passCount: Int) async throws {
        let decoder = StubImageDecoder { Self.header($0) }
        let image = try Image(Data([1]), limits: limits, decoder: decoder)
        for frame in 0..<10 { #expect(try await image.pixels(frame: frame).width == 4) }
        #expect(decoder.recorded.count == 1 + passCount)
    }

    @Test func `a single frame is decoded alone`() async throws {
        let decoder = StubImageDecoder { Self.header($0) }
        let image = try Image(Data([1]), decoder: decoder)
        for frame in [5, 3, 7] { _ = try await image.pixels(frame: frame) }
        #expect(decoder.recorded.count == 4)
        _ = try await image.pixels(frame: 7)
        #expect(decoder.recorded.count == 4)
    }

    @Test func `damage in a later frame does not fail the call for an earlier one`() async throws {
        let count = Mutex(0)
        let decoder = StubImageDecoder(
            work: {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 2 { throw ImageError(.malformed, reason: "damaged") }
            },
            answer: { Self.header($0) }
        )
        let image = try Image(Data([1]), decoder: decoder)
        for frame in 0..<2 { #expect(try await image.pixels(frame: frame).width == 4) }
        #expect(decoder.recorded.count == 4)
    }

    @Test func `what is decoded ahead is what a call gets`() async throws {
        let data = try ImageMagick.make(["-size", "4x4", "xc:red", "xc:blue", "xc:green"], as: "gif")
        let all = try await Image(data).pixels(frames: 0..<3)
        let image = try Image(data)
        for frame in [0, 1, 2, 0, 1] { #expect(try await image.pixels(frame: frame) == all[frame]) }
    }
}
