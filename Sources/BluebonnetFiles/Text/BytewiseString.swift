// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A string that is compared by its UTF-8 bytes.
///
/// Swift's strings are equal if they are canonically equivalent, which is not the rule for names in documents, paths of files,
/// user names and passwords.
package struct BytewiseString: Hashable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    @inlinable package init(_ text: String) {
        self.text = text
    }

    @inlinable package init(stringLiteral text: String) { self.init(text) }

    @inlinable package static func == (left: Self, right: Self) -> Bool { Self.areEqual(left.text, right.text) }

    @inlinable package static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }

    @inlinable package func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
