// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// How a request's body is delimited.
enum BodyFraming: Equatable {
    case none
    case fixed(Int64)
    case chunked

    /// Whether anything follows the head.
    var hasBody: Bool { self != .none && self != .fixed(0) }
}

extension TransportRequest {
    /// How the body is framed.
    var framing: BodyFraming {
        // Only the chunked coding has trailers (RFC 9112 section 7.1.2).
        if self.trailers != nil { return .chunked }
        switch self.body {
        case .bytes(let buffer): return .fixed(Int64(buffer.readableBytes))
        case .reader(let length?, _, _): return .fixed(length)
        case .reader(nil, _, _): return .chunked
        case .file(let file): return .fixed(file.byteCount)
        case .none:
            // RFC 9110 section 8.6: a method that defines content sends Content-Length: 0 if there is none.
            let expectsContent = self.method == .post || self.method == .put || self.method == .patch
            return expectsContent ? .fixed(0) : .none
        }
    }
}
