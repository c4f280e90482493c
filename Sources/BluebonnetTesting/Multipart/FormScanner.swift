// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Parses `application/x-www-form-urlencoded` bytes incrementally (WHATWG URL section 5.1).
struct FormScanner: Sendable {
    /// The fields that have been received completely.
    private(set) var fields: [(name: String, value: String)] = []
    private var name: [UInt8] = []
    private var value: [UInt8] = []
    private var isInValue = false

    /// Processes the next bytes, which may be split anywhere.
    mutating func receive(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "&"): self.endField()
            case UInt8(ascii: "=") where !self.isInValue: self.isInValue = true
            default: if self.isInValue { self.value.append(byte) } else { self.name.append(byte) }
            }
        }
    }

    /// Returns the fields after all bytes have been received.
    mutating func finish() -> [(name: String, value: String)] {
        self.endField()
        return self.fields
    }

    private mutating func endField() {
        defer {
            self.name = []
            self.value = []
            self.isInValue = false
        }
        guard !self.name.isEmpty || self.isInValue else { return }
        self.fields.append((Self.decode(self.name), Self.decode(self.value)))
    }

    private static func decode(_ bytes: [UInt8]) -> String {
        String(decoding: PercentDecoding.decodeLeniently(bytes, plusIsSpace: true), as: UTF8.self)
    }
}
