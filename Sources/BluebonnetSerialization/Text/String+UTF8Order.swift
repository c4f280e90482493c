// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

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
