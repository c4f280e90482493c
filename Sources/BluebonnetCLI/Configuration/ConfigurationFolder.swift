// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The folder of the user's configuration files.
enum ConfigurationFolder {
    /// Returns the folder: `$BLUEBONNET_CONFIG_DIR`, else `$XDG_CONFIG_HOME/bluebonnet`, else `~/.config/bluebonnet`.
    ///
    /// - Parameter environment: The environment variables of the process.
    /// - Returns: The path; nil if none of the variables is set.
    static func path(_ environment: [String: String]) -> String? {
        if let path = environment["BLUEBONNET_CONFIG_DIR"], !path.isEmpty { return path }
        // XDG Base Directory Specification: a relative path is ignored.
        if let path = environment["XDG_CONFIG_HOME"], path.starts(withScalars: "/") { return path + "/bluebonnet" }
        return environment["HOME"].map { $0 + "/.config/bluebonnet" }
    }
}
