// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

extension PrivateFile {
    /// Resolves the symbolic links of a path, whether the target exists or not, so that a replacement preserves them.
    ///
    /// - Parameter path: The path.
    /// - Returns: The path of the target; the path itself if it is not a link, or if the links form a loop.
    package static func target(of path: String) -> String {
        var target = path
        // The limit of Linux.
        for _ in 0..<40 {
            guard let location = FileLocation(path: target),
                let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target)
            else { return target }
            target = next.utf8.first == UInt8(ascii: "/") ? next : location.sibling(next)
        }
        return path
    }
}
