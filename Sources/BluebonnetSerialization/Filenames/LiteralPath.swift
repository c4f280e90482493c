// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Paths that are taken as they are written.
///
/// Foundation replaces `~` and `~name` at the beginning of a path by the home folder of the user, or of the account of
/// that name. A name that comes from elsewhere, such as the last segment of a URL, may begin with them as well.
package enum LiteralPath {
    /// Returns a path of the same file that does not begin with `~`.
    package static func text(_ path: String) -> String { path.utf8.first == UInt8(ascii: "~") ? "./\(path)" : path }

    /// Returns the URL of a file.
    package static func url(_ path: String) -> URL { URL(filePath: self.text(path)) }
}
