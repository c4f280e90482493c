// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// How the body of a response is delivered to the caller.
enum BodyDelivery {
    /// Collected; a body of more bytes fails the exchange.
    case collected(upTo: Int)
    /// Collected if it has no more bytes than this; otherwise streamed.
    case held(upTo: Int)
    /// Streamed.
    case streamed

    /// Decides how the request wants a response with this head delivered.
    init(of head: ResponseHead, to request: TransportRequest) {
        switch request.responseMode {
        case .streamed:
            self = .streamed
        case .collected(let limit):
            let limit = Swift.min(limit, ResponseBody.largestCollected)
            if request.heldByteCount != nil, head.isRedirect {
                // A client that follows the redirect does not need the body, whether or not it is valid.
                self = .streamed
            } else if let held = request.heldByteCount, head.status.isActedOn {
                self = .held(upTo: Swift.min(Swift.max(held, 0), limit))
            } else {
                self = .collected(upTo: limit)
            }
        }
    }
}

extension ResponseHead {
    /// Whether the status is a redirection to another resource (RFC 9110 section 15.4).
    var isRedirect: Bool {
        switch self.status.code {
        case 301, 302, 303, 307, 308: self.headers.contains(.location)
        default: false
        }
    }
}

extension HTTPResponse.Status {
    /// Whether a client may act on the status before it reads the body: a redirection, a request for credentials, or a
    /// request to retry.
    package var isActedOn: Bool {
        switch self.code {
        case 300..<400, 401, 407, 408, 425, 429, 500..<600: true
        default: false
        }
    }
}
