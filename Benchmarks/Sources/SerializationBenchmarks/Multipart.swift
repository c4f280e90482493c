// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

extension Entry {
    static func multipart() throws -> [Benchmark] {
        var small = MultipartFormData()
        for number in 0..<10 { small.append(Data("value \(number)".utf8), name: "field\(number)") }
        var large = MultipartFormData()
        large.append(Data(count: 64 << 20), name: "file", filename: "zeros.bin", contentType: "application/x-test")
        return [small, large].map { form in
            Benchmark("multipart, \(form.contentLength) bytes read", bytes: Int(form.contentLength)) {
                var reader = try RequestBody.multipart(form).makeReader()
                try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
                    while try reader.read(into: buffer) > 0 {}
                }
            }
        }
    }
}
