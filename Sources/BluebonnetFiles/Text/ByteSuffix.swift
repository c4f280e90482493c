// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension BidirectionalCollection where Element == UInt8 {
    /// Whether the last bytes are these.
    ///
    /// - Parameter suffix: The bytes; none at all are at every end.
    /// - Returns: Whether they are.
    /// - Complexity: O(*n*) in the number of bytes of the suffix.
    @inlinable package func ends(with suffix: some BidirectionalCollection<UInt8>) -> Bool {
        var own = self.reversed().makeIterator()
        return suffix.reversed().allSatisfy { own.next() == $0 }
    }
}
