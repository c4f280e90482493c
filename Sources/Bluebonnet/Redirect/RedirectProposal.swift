// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// The request that follows a redirect.
struct RedirectProposal {
    private(set) var request: Request

    /// Whether the body of the redirected request is sent once more.
    let sendsBodyAgain: Bool

    /// The fields that describe a body, and leave with it (Fetch standard, request-body-header names; RFC 9110 section 8; RFC 9530).
    private static let bodyFields: [HTTPField.Name] =
        [
            .contentEncoding, .contentLanguage, .contentLocation, .contentType, .contentLength, .transferEncoding,
            .trailer,
            .expect,
        ] + ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"].compactMap { HTTPField.Name($0) }

    init(_ status: HTTPResponse.Status, _ request: Request, _ target: RedirectTarget, keepsPost: Bool) {
        var following = request
        following.url = target.url
        let method = Self.method(after: status.code, request.method, keepsPost: keepsPost)
        if method != request.method {
            following.method = method
            following.body = .none
            for name in Self.bodyFields { following.headers[name] = nil }
            // Trailer fields follow a body, and none is sent any more.
            following.changeTransport { $0.trailers = nil }
        }
        self.request = following
        self.sendsBodyAgain = method == request.method && !request.body.isEmptySource
        if target.isCrossOrigin { self.leaveOrigin(of: request) }
    }

    /// Drops what belongs to the origin of the redirected request.
    private mutating func leaveOrigin(of request: Request) {
        self.request.headers = HTTPFields(self.request.headers.filter { HomeOrigin.mayLeave($0.name) })
        self.request.changeTransport { options in
            options.clientIdentity = nil
            options.trailers = nil
        }
        // The session's own fields, certificate and trailer fields are added below, where this is looked at.
        if self.request.context[HomeOrigin.self] == nil, let origin = try? RequestTarget(request.url).origin {
            self.request.context[HomeOrigin.self] = HomeOrigin(origin: origin)
        }
    }

    /// The method of the next request (RFC 9110 sections 15.4.2 to 15.4.9, and the Fetch standard's HTTP-redirect fetch).
    private static func method(
        after code: Int,
        _ method: HTTPRequest.Method,
        keepsPost: Bool
    ) -> HTTPRequest.Method {
        switch code {
        case 301, 302: method == .post && !keepsPost ? .get : method
        case 303: method == .head || method == .get ? method : .get
        default: method
        }
    }
}

extension Request {
    /// Changes what the request asks of the transport; does nothing if it asks for nothing.
    fileprivate mutating func changeTransport(_ change: (inout TransportOptions) -> Void) {
        guard var options = self.context[TransportOptions.self] else { return }
        change(&options)
        self.transport = options
    }
}

extension RequestBody {
    fileprivate var isEmptySource: Bool {
        if case .none = self { true } else { false }
    }
}
