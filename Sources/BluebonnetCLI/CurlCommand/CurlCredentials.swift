// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The credentials of a command of curl.
struct CurlCredentials {
    private var user: String?
    private var token: String?

    /// Takes the value of `--user` or `--oauth2-bearer`; the last of each counts.
    mutating func apply(_ name: String, _ value: String) {
        if name == "user" { self.user = value } else { self.token = value }
    }

    /// The options of ours: a token is sent even beside a user, whichever comes first.
    var words: [String] {
        if let token { return ["--auth=\(token)", "--auth-type=bearer"] }
        return self.user.map { ["--auth=\($0)"] } ?? []
    }
}
