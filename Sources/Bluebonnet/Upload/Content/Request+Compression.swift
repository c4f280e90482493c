// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import HTTPTypes

extension Request {
    /// The same request with its body compressed by gzip while it is sent (RFC 9110 section 8.4).
    ///
    /// `Content-Encoding` says so, and the body goes out in chunks, because its length is not known: use it for servers that take both. A body
    /// that is compressed already, a picture for example, gains nothing. A digest of the content is one of the compressed bytes, so compress
    /// first. A request without a body stays as it is.
    ///
    /// ```swift
    /// let request = Request(method: .post, url: url, body: .file(log)).compressingBody()
    /// ```
    ///
    /// - Returns: The request.
    public func compressingBody() -> Request {
        if case .none = self.body { return self }
        var request = self
        let body = self.body
        request.body = .stream(length: nil, isReplayable: body.isReplayable) { GzipBodyReader(try body.makeReader()) }
        let codings = self.headers[values: .contentEncoding] + ["gzip"]
        request.headers[.contentEncoding] = codings.joined(separator: ", ")
        return request
    }
}
