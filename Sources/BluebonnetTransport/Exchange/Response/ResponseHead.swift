// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The head of a final response in any version of HTTP.
struct ResponseHead {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    /// The length of the body, if the head declares it.
    var contentLength: Int64?

    /// Removes the fields that describe the encoded body.
    mutating func removeCoding() {
        self.headers[.contentEncoding] = nil
        self.headers[.contentLength] = nil
        self.contentLength = nil
    }
}
