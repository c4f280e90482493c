// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A file as an inline image of iTerm2, https://iterm2.com/documentation-images.html; the terminal decodes it.
enum InlinePicture {
    /// Returns the escape sequence.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - isWide: Whether the picture is wider than the terminal, and scaled to its width.
    /// - Returns: The escape sequence, with a line end.
    static func text(_ data: Data, isWide: Bool) -> String {
        let width = isWide ? ";width=100%" : ""
        let keys = "inline=1;preserveAspectRatio=1;size=\(data.count)\(width)"
        return "\u{1B}]1337;File=\(keys):\(data.base64EncodedString())\u{07}\n"
    }
}
