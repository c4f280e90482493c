// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

extension Request {
    /// Asks every cache to forward the request to the origin server, unless the request has its own Cache-Control.
    ///
    /// Pragma is for caches that implement HTTP/1.0 only (RFC 9111 section 5.4).
    mutating func bypassCaches() {
        guard !self.headers.contains(.cacheControl) else { return }
        self.headers[.cacheControl] = "no-cache"
        if let pragma = HTTPField.Name("Pragma") { self.headers[pragma] = "no-cache" }
    }
}
