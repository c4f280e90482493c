// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension Response {
    /// Whether there is nothing to decode: an empty body, a 204 or 205 (RFC 9110 section 15.3), or the response to a
    /// HEAD request.
    public var hasNoContent: Bool {
        self.body.isEmpty || self.status.code == 204 || self.status.code == 205 || self.method == .head
    }

    /// The media type in lower case without parameters; nil if there is none or it is malformed.
    public var mediaType: String? { self.contentType?.essence }

    /// The charset of the response; nil if it names none or an unknown one.
    public var charset: Charset? { self.contentType?.charset.flatMap { Charset(named: $0) } }

    /// The content type; nil if there is none or it is malformed.
    var contentType: ContentType? { self.headers[.contentType].flatMap { ContentType($0) } }
}
