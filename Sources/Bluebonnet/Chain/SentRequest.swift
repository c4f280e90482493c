// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// The request of one exchange: as the last stage got it, and the header fields that were added for sending.
///
/// Most programs never look at the request of a response. It is put together only when somebody does, because that
/// copies it.
struct SentRequest {
    /// The request, whose header fields may be incomplete.
    let base: Request

    /// All header fields that are sent; nil for those of the request.
    private let fields: HTTPFields?

    init(_ base: Request, fields: HTTPFields? = nil) {
        self.base = base
        self.fields = fields
    }

    /// The header fields.
    var headers: HTTPFields { self.fields ?? self.base.headers }

    /// The request with all its header fields.
    var request: Request {
        guard let fields else { return self.base }
        var request = self.base
        request.headers = fields
        return request
    }
}
