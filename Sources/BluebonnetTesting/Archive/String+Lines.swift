// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The lines, which end with CR, LF or both.
    var lines: [Substring] {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let parts = self.utf8.split(separator: lineFeed, omittingEmptySubsequences: false)
        return parts.enumerated().flatMap { index, part in
            let endsWithBoth = index < parts.count - 1 && part.last == carriageReturn
            return part.dropLast(endsWithBoth ? 1 : 0)
                .split(separator: carriageReturn, omittingEmptySubsequences: false).map { Substring($0) }
        }
    }
}
