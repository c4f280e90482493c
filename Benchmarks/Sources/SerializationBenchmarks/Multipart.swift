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
            Benchmark("multipart, 10 small fields", bytes: Int(small.contentLength)) { try Self.drain(small, buffer) },
            Benchmark("multipart, data in 64 KiB pulls", bytes: Int(data.contentLength)) {
                try Self.drain(data, buffer)
            },
            Benchmark("memcpy in 64 KiB pieces", bytes: zeros.count) {
                zeros.withUnsafeBytes { bytes in
                    for offset in stride(from: 0, to: bytes.count, by: Self.pull) {
                        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.pull]))
                    }
                }
                keep(buffer[0])
            },
            Benchmark("multipart, a file in 64 KiB pulls", bytes: Int(files.contentLength)) {
                try Self.drain(files, buffer)
            },
            Benchmark("read(2) in 64 KiB pieces", bytes: zeros.count) {
                let descriptor = open(path, O_RDONLY)
                while read(descriptor, buffer.baseAddress, Self.pull) > 0 {}
                close(descriptor)
            },
        ]
    }
}
