// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
/// Reports the names that files receive in a folder; not supported on this system.
package final class FolderWatcher: Sendable {
    /// The result is always nil.
    package init?(_ directory: borrowing FileLocation.Directory, onNames: @escaping @Sendable ([String]?) -> Void) {
        return nil
    }
}
#endif
