// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether it can be sent as a bearer token (RFC 6750 section 2.1).
    ///
    /// More is allowed than there: any visible ASCII character, because servers have tokens with others.
    package var isBearerToken: Bool { !self.isEmpty && self.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
}
