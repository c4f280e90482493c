// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A string that is compared by its UTF-8 bytes.
///
/// Swift's strings are equal if they are canonically equivalent, which is not the rule for names in JSON, XML and
/// property lists.
struct BytewiseString: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: Self, right: Self) -> Bool { Self.areEqual(left.text, right.text) }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether this text's UTF-8 bytes come before another's.
    func precedesInUTF8(_ other: String) -> Bool {
        let result = self.utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                left.lexicographicallyPrecedes(right)
            }
        }
        return (result ?? nil) ?? self.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
