// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension Proxy {
    /// When, and with which schemes, the user name and the password are sent to an HTTP proxy (RFC 9110 section 11.7).
    ///
    /// Without meaning for SOCKS, and where ``Proxy/headers`` has a `Proxy-Authorization` of its own.
    public enum Authentication: String, Hashable, Sendable, CaseIterable {
        /// With Basic (RFC 7617) at once. A proxy that refuses them and asks for Digest (RFC 7616) is answered with Digest, and gets
        /// no Basic from then on.
        ///
        /// One round trip less than ``challenged``, for which the password is sent as it is.
        case basicFirst
        /// After a challenge, to the strongest scheme that the proxy offers: Digest, or Basic.
        case challenged
        /// After a challenge, with Digest alone: the password itself is never sent.
        case digest
    }

    /// Whether a challenge can be answered, and credentials can be sent before one.
    var hasCredentials: Bool {
        (self.username != nil || self.password != nil) && self.speaksHTTP && !self.headers.contains(.proxyAuthorization)
    }
}
