// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import Testing

/// JPEG files without their last bytes.
///
/// The files were written by libjpeg-turbo 2.1.5 in quality 75 and 60. libjpeg reads ahead: with each of them it asks
/// for bytes beyond the end although only the end marker is missing.
@Suite(.timeLimit(.minutes(2))) struct TruncatedJPEGTests {
    @Test(.bug(id: "F264"), arguments: try Fixture.load("jpegs", as: [StoredImage].self))
    func `a JPEG that lacks only its end marker is read`(_ file: StoredImage) async throws {
        let complete = try await Image(file.data).pixels(layout: .rgba)
        let small = try await Image(file.data).thumbnail(longestSide: 5).pixels(layout: .rgba)
        #expect(Array(file.data.suffix(2)) == [0xFF, 0xD9])
        for count in 1...2 {
            let data = Data(file.data.dropLast(count))
            #expect(try await Image(data).pixels(layout: .rgba) == complete)
            // A new image has no pixels in memory, and decodes the file in a smaller size.
            #expect(try await Image(data).thumbnail(longestSide: 5).pixels(layout: .rgba) == small)
        }
    }

    @Test(.bug(id: "F264"), arguments: try Fixture.load("jpegs", as: [StoredImage].self))
    func `a JPEG that lacks more than its end marker is an error`(_ file: StoredImage) async throws {
        // The ends of the scans of a progressive file are among these.
        for count in 3...file.data.count {
            await #expect(throws: ImageError(.malformed, reason: ""), "\(count) bytes are missing") {
                try await Image(Data(file.data.dropLast(count))).pixels()
            }
        }
    }

    /// A progressive file may end before a later scan, which only refines the picture.
    private static func isProgressive(_ file: StoredImage) -> Bool { file.name.contains("progressive") }

    @Test(.bug(id: "F480"), arguments: try Fixture.load("jpegs", as: [StoredImage].self).filter { !isProgressive($0) })
    func `a JPEG that is cut short before an end marker is an error`(_ file: StoredImage) async throws {
        for count in 3..<file.data.count {
            await #expect(throws: ImageError(.malformed, reason: ""), "\(count) bytes are missing") {
                try await Image(Data(file.data.dropLast(count) + [0xFF, 0xD9])).pixels()
            }
        }
    }

    @Test(.bug(id: "F480"), arguments: try Fixture.load("jpegs", as: [StoredImage].self).filter { isProgressive($0) })
    func `a progressive JPEG that is cut short in its first scan is an error`(_ file: StoredImage) async throws {
        let bytes = [UInt8](file.data)
        let marks = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && [0xC4, 0xDA].contains(bytes[$0 + 1]) }
        let scan = try #require(marks.firstIndex { bytes[$0 + 1] == 0xDA })
        let (start, end) = (marks[scan], marks[scan + 1])
        for count in start..<end - 1 {
            await #expect(throws: ImageError(.malformed, reason: ""), "\(count) bytes are left") {
                try await Image(Data(bytes.prefix(count) + [0xFF, 0xD9])).pixels()
            }
        }
    }
}
