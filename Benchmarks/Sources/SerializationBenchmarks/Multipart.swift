// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

extension Entry {
    private static let pull = 64 << 10

    private static func drain(_ form: MultipartFormData, _ buffer: UnsafeMutableRawBufferPointer) throws {
        var reader = try form.makeReader()
        while try reader.read(into: buffer) > 0 {}
    }

    static func multipart() throws -> [Benchmark] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pull, alignment: 4_096)
        let zeros = Data(repeating: 1, count: 64 << 20)
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-benchmark-\(getpid())")
        try zeros.write(to: file)
        atexit {
            try? FileManager.default.removeItem(atPath: NSTemporaryDirectory() + "bluebonnet-benchmark-\(getpid())")
        }

        var small = MultipartFormData()
        for number in 0..<10 { small.append(Data("value \(number)".utf8), name: "field\(number)") }
        var data = MultipartFormData()
        data.append(zeros, name: "data", filename: "ones.bin", contentType: "application/x-test")
        var files = MultipartFormData()
        try files.append(file: file, name: "file")
        let path = file.path
        return [
            Benchmark(
                "read a form of 10 small fields",
                bytes: Int(small.contentLength),
                .init("`MultipartBodyReader`") { try Self.drain(small, buffer) }
            ),
            Benchmark(
                "read a form with 64 MiB of data, 64 KiB at a time",
                bytes: zeros.count,
                .init("`MultipartBodyReader`") { try Self.drain(data, buffer) },
                .init("`memcpy`") {
                    zeros.withUnsafeBytes { bytes in
                        for offset in stride(from: 0, to: bytes.count, by: Self.pull) {
                            buffer.copyMemory(
                                from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.pull])
                            )
                        }
                    }
                    keep(buffer[0])
                }
            ),
            Benchmark(
                "read a form with a file of 64 MiB, 64 KiB at a time",
                bytes: zeros.count,
                .init("`MultipartBodyReader`") { try Self.drain(files, buffer) },
                .init("`read(2)`") {
                    let descriptor = open(path, O_RDONLY)
                    while read(descriptor, buffer.baseAddress, Self.pull) > 0 {}
                    close(descriptor)
                }
            ),
        ]
    }
}
