// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The real `convert` of ImageMagick 6, or `magick` of version 7: makes the files of the tests, and says what their pixels are.
enum ImageMagick {
    private static let program: String? = {
        let places = ["/usr/bin/convert-im6.q16", "/usr/bin/convert", "/usr/bin/magick", "/usr/local/bin/magick"]
        // Other programs are called convert, too.
        return places.first {
            (try? run($0, ["-version"], input: Data())).map {
                String(decoding: $0, as: UTF8.self).contains("ImageMagick")
            } ?? false
        }
    }()

    /// A colourful picture of 61 × 47 pixels without transparency, the same at each call.
    static let photo = ["-size", "61x47", "-seed", "1", "plasma:red-blue", "-depth", "8"]

    /// The same with transparency that grows from left to right.
    static let transparent =
        photo + [
            "(", "-size", "47x61", "gradient:black-white", "-rotate", "90", ")", "-alpha", "off", "-compose",
            "CopyOpacity", "-composite",
        ]

    /// Runs it with arguments, the last of which is a file format and a colon for the output.
    static func make(_ arguments: [String], as format: String) throws -> Data {
        let program = try #require(self.program, "ImageMagick is missing: run scripts/setup test")
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try self.run(program, arguments + ["\(format):\(file.path)"], input: Data())
        return try Data(contentsOf: file)
    }

    /// The pixels of a file in RGBA with 8 bits, after some operations; `[0]` for a part is its first picture.
    static func pixels(
        of data: Data,
        _ format: String,
        _ operations: [String] = [],
        of part: String = ""
    ) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try data.write(to: file)
        return Array(
            try self.make(
                ["\(format):\(file.path)\(part)"] + operations + ["-colorspace", "sRGB", "-depth", "8"],
                as: "rgba"
            )
        )
    }

    private static func run(_ program: String, _ arguments: [String], input: Data) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
        return data
    }

    struct Failure: Error {
        let arguments: [String]
    }
}
