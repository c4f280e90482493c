// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A text that is compared by its bytes.
///
/// Unicode's canonical equivalence does not count.
struct JSONObjectKey: Hashable, Sendable {
    let name: String

    static func == (left: Self, right: Self) -> Bool { Self.areEqual(left.name, right.name) }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var name = self.name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
