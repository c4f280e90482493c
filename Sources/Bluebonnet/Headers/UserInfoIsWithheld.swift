// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// In the context of a request: the user information of its URL is not sent with Basic.
///
/// A server that has accepted a password with Digest does not get it in clear, even if this request cannot be sent
/// with Digest.
struct UserInfoIsWithheld: Sendable {
    static func isSet(on request: Request) -> Bool {
        !request.context.isEmpty && request.context[UserInfoIsWithheld.self] != nil
    }
}
