// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPTypes

extension StoredResponse {
    /// The head as bytes, for a store outside this process: lines of fields, each a name, a NUL and a value.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        let numbers: [Int64] = [
            Int64(self.status.code), self.responseTime, self.responseDelay, self.bodyByteCount,
            self.selection.isDecoded ? 1 : 0,
            Int64(self.selection.fields.count), self.arrivalNumber,
        ]
        bytes.append(contentsOf: numbers.map { "\($0)" }.joined(separator: " ").utf8)
        for field in self.selection.fields {
            bytes.append(0x0A)
            bytes.append(contentsOf: field.name.utf8)
            guard let value = field.value else { continue }
            bytes.append(0)
            bytes.append(contentsOf: value.utf8)
        }
        for field in self.headers {
            bytes.append(0x0A)
            bytes.append(contentsOf: field.name.rawName.utf8)
            bytes.append(0)
            field.withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private static var largestFieldCount: Int { 4096 }

    /// Decodes a head; nil if the bytes are anything else.
    package init?(encoded: [UInt8], id: UUID, key: CacheKey) {
        let lines = encoded.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard let first = lines.first, lines.count <= Self.largestFieldCount else { return nil }
        let numbers = first.split(separator: 0x20).compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        // The times of a few thousand years, and sizes up to a petabyte, so that no sum of them overflows.
        // A head of an earlier version has no arrival number.
        guard (6...7).contains(numbers.count), (200...599).contains(numbers[0]), (0...1 << 38).contains(numbers[1]),
            (0...1 << 38).contains(numbers[2]), (0...1 << 50).contains(numbers[3]),
            (0...Int64(lines.count - 1)).contains(numbers[5])
        else { return nil }
        let fieldCount = Int(numbers[5])
        var headers = HTTPFields()
        for line in lines.dropFirst(1 + fieldCount) {
            guard let end = line.firstIndex(of: 0),
                let name = HTTPField.Name(String(decoding: line[..<end], as: UTF8.self))
            else { return nil }
            headers.append(HTTPField(name: name, value: line[(end + 1)...]))
        }
        let fields = lines.dropFirst().prefix(fieldCount).map { line in
            let parts = line.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { String(decoding: $0, as: UTF8.self) }
            return VariantSelection.Field(name: texts[0], value: texts.count > 1 ? texts[1] : nil)
        }
        self.init(
            id: id,
            key: key,
            status: HTTPResponse.Status(code: Int(numbers[0])),
            headers: headers,
            responseTime: numbers[1],
            responseDelay: numbers[2],
            arrivalNumber: numbers.count > 6 ? numbers[6] : 0,
            selection: VariantSelection(fields: fields, isDecoded: numbers[4] == 1)
        )
        self.bodyByteCount = numbers[3]
    }
}
