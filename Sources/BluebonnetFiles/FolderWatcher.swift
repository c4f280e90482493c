// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
/// Tells which files get a name in a folder, where the system can; here it cannot.
package final class FolderWatcher: Sendable {
    /// The result is nil: this system is not asked.
    package init?(_ directory: borrowing FileLocation.Directory, onNames: @escaping @Sendable ([String]?) -> Void) {
        return nil
    }
}
#endif
