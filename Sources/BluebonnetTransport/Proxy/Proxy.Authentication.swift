// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension Proxy {
    /// When user name and password are sent to an HTTP proxy, and with which schemes (RFC 9110 section 11.7).
    ///
    /// It has no effect for SOCKS, or if ``Proxy/headers`` contains a `Proxy-Authorization`.
    public enum Authentication: String, Hashable, Sendable, CaseIterable {
        /// With Basic (RFC 7617), without waiting for a challenge. If the proxy refuses it and offers Digest (RFC
        /// 7616), Digest is used, and Basic is not used from then on.
        ///
        /// It saves one round trip compared to ``challenged``, but sends the password unprotected.
        case basicFirst
        /// After a challenge, with the strongest scheme that the proxy offers: Digest, or Basic.
        case challenged
        /// After a challenge, with Digest only: the password itself is never sent.
        case digest
    }

    /// Whether there are credentials to answer a challenge with, or to send before one.
    var hasCredentials: Bool {
        (self.username != nil || self.password != nil) && self.speaksHTTP && !self.headers.contains(.proxyAuthorization)
    }
}
