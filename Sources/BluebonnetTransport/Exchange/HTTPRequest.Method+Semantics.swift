// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest.Method {
    /// The idempotent methods, whose requests may be repeated automatically (RFC 9110 section 9.2.2).
    package static let idempotent: Set<HTTPRequest.Method> = [.get, .head, .options, .trace, .put, .delete]

    /// Whether the method is safe (RFC 9110 section 9.2.1); an unknown method is not.
    package var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }
}
