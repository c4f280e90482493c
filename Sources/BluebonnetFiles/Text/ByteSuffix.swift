// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension BidirectionalCollection where Element == UInt8 {
    /// Whether the bytes end with a suffix.
    ///
    /// - Parameter suffix: The suffix; every collection ends with an empty one.
    /// - Returns: Whether they do.
    /// - Complexity: O(*n*) in the number of bytes of the suffix.
    @inlinable package func ends(with suffix: some BidirectionalCollection<UInt8>) -> Bool {
        var own = self.reversed().makeIterator()
        return suffix.reversed().allSatisfy { own.next() == $0 }
    }
}
