// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// How the body of a response is handed to the caller.
enum BodyDelivery {
    /// Whole; more bytes than this fail the exchange.
    case collected(upTo: Int)
    /// Whole if it has no more bytes than this, and otherwise as a stream.
    case held(upTo: Int)
    /// As a stream.
    case streamed

    /// How the request wants a response with this head.
    init(of head: ResponseHead, to request: TransportRequest) {
        switch request.responseMode {
        case .streamed:
            self = .streamed
        case .collected(let limit):
            let limit = Swift.min(limit, ResponseBody.largestCollected)
            if request.heldByteCount != nil, head.isRedirect {
                // Whoever follows it wants nothing of the body, whatever is wrong with that.
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
    /// Whether it sends the client to another resource (RFC 9110 section 15.4).
    var isRedirect: Bool {
        switch self.status.code {
        case 301, 302, 303, 307, 308: self.headers.contains(.location)
        default: false
        }
    }
}

extension HTTPResponse.Status {
    /// Whether a client may act on the status before it reads the body: it is redirected, asked for credentials, or told to try again.
    fileprivate var isActedOn: Bool {
        switch self.code {
        case 300..<400, 401, 407, 408, 425, 429, 500..<600: true
        default: false
        }
    }
}
