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

    /// How the request wants a response with this status.
    init(of status: HTTPResponse.Status, to request: TransportRequest) {
        switch request.responseMode {
        case .streamed:
            self = .streamed
        case .collected(let limit):
            let limit = Swift.min(limit, ResponseBody.largestCollected)
            if let held = request.heldByteCount, status.isActedOn {
                self = .held(upTo: Swift.min(Swift.max(held, 0), limit))
            } else {
                self = .collected(upTo: limit)
            }
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
