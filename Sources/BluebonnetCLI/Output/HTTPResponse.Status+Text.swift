// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPResponse.Status {
    /// The code and the reason phrase, “403 Forbidden”, or the code alone: HTTP/2 has no phrases (RFC 9113, 8.3.2).
    var text: String { self.reasonPhrase.isEmpty ? "\(self.code)" : "\(self.code) \(self.reasonPhrase)" }
}
