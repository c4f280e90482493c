// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The head of a final response, whatever version of HTTP brought it.
struct ResponseHead {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    /// The length of the body where the head tells it.
    var contentLength: Int64?

    /// Takes the fields out that describe the body as it was sent.
    mutating func removeCoding() {
        self.headers[.contentEncoding] = nil
        self.headers[.contentLength] = nil
        self.contentLength = nil
    }
}
