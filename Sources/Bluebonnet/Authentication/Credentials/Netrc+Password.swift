// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Netrc {
    /// The user name and the password for a host; nil if the file has none.
    ///
    /// - Parameter host: The host, without brackets around an IPv6 address.
    /// - Returns: Both.
    package func password(forHost host: String) -> (user: String, password: String)? {
        guard case .password(let user, let password)? = self[host]?.kind else { return nil }
        return (user, password)
    }
}
