// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

extension Entry {
    private static let pull = 64 << 10
    private static let size = 64 << 20

    private static func makeBuffer() -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pull, alignment: 4_096)
    }

    /// Returns work that reads a form to its end.
    private static func draining(_ form: MultipartFormData) -> () throws -> Void {
        let buffer = Self.makeBuffer()
        return {
            var reader = try form.makeReader()
            while try reader.read(into: buffer) > 0 {}
        }
    }

    /// Calls a closure with a file that is removed when the process ends.
    private static func withFile<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-benchmark-\(getpid())")
        try Data(repeating: 1, count: Self.size).write(to: file)
        atexit {
            try? FileManager.default.removeItem(atPath: NSTemporaryDirectory() + "bluebonnet-benchmark-\(getpid())")
        }
        return try body(file)
    }

    static func multipart() -> [Benchmark] {
        var small = MultipartFormData()
        for number in 0..<10 { small.append(Data("value \(number)".utf8), name: "field\(number)") }
        return [
            Benchmark(
                "read a form of 10 small fields",
                bytes: Int(small.contentLength),
                .init("`MultipartBodyReader`") { [small] in Self.draining(small) }
            ),
            Benchmark(
                "read a form with 64 MiB of data, 64 KiB at a time",
                bytes: Self.size,
                .init("`MultipartBodyReader`") {
                    var form = MultipartFormData()
                    form.append(Data(repeating: 1, count: Self.size), name: "data", filename: "ones.bin")
                    return Self.draining(form)
                },
                .init("`memcpy`") {
                    let (data, buffer) = (Data(repeating: 1, count: Self.size), Self.makeBuffer())
                    return {
                        data.withUnsafeBytes { bytes in
                            for offset in stride(from: 0, to: bytes.count, by: Self.pull) {
                                buffer.copyMemory(
                                    from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.pull])
                                )
                            }
                        }
                        keep(buffer[0])
                    }
                }
            ),
            Benchmark(
                "read a form with a file of 64 MiB, 64 KiB at a time",
                bytes: Self.size,
                .init("`MultipartBodyReader`") {
                    try Self.withFile { file in
                        var form = MultipartFormData()
                        try form.append(file: file, name: "file")
                        return Self.draining(form)
                    }
                },
                .init("`read(2)`") {
                    let (path, buffer) = (try Self.withFile(\.path), Self.makeBuffer())
                    return {
                        let descriptor = open(path, O_RDONLY)
                        while read(descriptor, buffer.baseAddress, Self.pull) > 0 {}
                        close(descriptor)
                    }
                }
            ),
        ]
    }
}
