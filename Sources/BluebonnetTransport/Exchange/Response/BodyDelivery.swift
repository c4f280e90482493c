// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

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
            if request.heldByteCount != nil, head.isAnswered {
                // A client that sends the next request does not need the body, whether or not it is valid.
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
    /// Whether a client may answer the head with another request; see `isAnswered(with:)`.
    var isAnswered: Bool { self.status.isAnswered(with: self.headers) }
}

extension HTTPResponse.Status {
    /// Whether a client may answer a response with another request, without a look at its body: a redirection to another
    /// resource (RFC 9110 section 15.4), or a challenge (sections 15.5.2 and 15.5.8).
    ///
    /// - Parameter headers: The header fields of the response.
    /// - Returns: Whether the body may be discarded.
    package func isAnswered(with headers: HTTPFields) -> Bool {
        switch self.code {
        case 301, 302, 303, 307, 308: headers.contains(.location)
        case 401: headers.contains(.wwwAuthenticate)
        case 407: headers.contains(.proxyAuthenticate)
        default: false
        }
    }

    /// Whether a client may act on the status before it reads the body: a redirection, a request for credentials, or a
    /// request to retry.
    ///
    /// The engine does not know which statuses a policy repeats; those of the default one are among these.
    package var isActedOn: Bool {
        switch self.code {
        case 300..<400, 401, 407, 408, 425, 429, 500..<600: true
        default: false
        }
    }
}
