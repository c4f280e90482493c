// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPFields {
    /// Asks every cache to forward the request to the origin server, unless these fields have their own Cache-Control.
    ///
    /// Pragma is for caches that implement HTTP/1.0 only (RFC 9111 section 5.4).
    mutating func bypassCaches() {
        guard !self.contains(.cacheControl) else { return }
        self[.cacheControl] = "no-cache"
        if let pragma = HTTPField.Name("Pragma") { self[pragma] = "no-cache" }
    }
}
