// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// The request that follows a redirect.
struct RedirectProposal {
    private(set) var request: Request

    init(
        _ status: HTTPResponse.Status,
        _ request: Request,
        _ target: RedirectTarget,
        keepsPost: Bool,
        home: Origin?
    ) {
        var following = request
        following.url = target.url
        let method = Self.method(after: status.code, request.method, keepsPost: keepsPost)
        if method != request.method {
            following.method = method
            following.dropBody()
        }
        self.request = following
        if target.isCrossOrigin { self.request.leaveOrigin(of: request, home: home) }
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
    /// Drops the body, with the fields that describe it.
    package mutating func dropBody() {
        self.body = .none
        self.headers = HTTPFields(self.headers.filter { !Self.describesBody($0.name) })
        // Trailer fields follow a body, and there is none.
        self.changeTransport { $0.dropTrailers() }
    }

    /// Whether a field describes a body, and is dropped with it (Fetch standard, request-body-header names; RFC 9110
    /// section 8; RFC 9530).
    private static func describesBody(_ name: HTTPField.Name) -> Bool {
        name.canonicalName.utf8.starts(with: "content-".utf8)
            || [.transferEncoding, .trailer, .expect, .lastModified, .eTag].contains(name)
            || ["repr-digest", "digest"].contains(name.canonicalName)
    }

    /// Drops what is meant for the origin of the redirected request, and may not be sent to another.
    ///
    /// - Parameters:
    ///   - redirected: The redirected request.
    ///   - home: The home origin of its session.
    mutating func leaveOrigin(of redirected: Request, home: Origin?) {
        // If the method is repeated, the other server has to know that the request may be made twice.
        let isRepeated = self.method == redirected.method && !self.method.isSafe
        self.headers = HTTPFields(
            self.headers.filter { field in
                HomeOrigin.mayLeave(field.name) || (isRepeated && field.name == RetryPolicy.idempotencyKey)
                    || !redirected.headers.contains(field)
            }
        )
        let identity = redirected.context[TransportOptions.self]?.clientIdentity
        self.changeTransport { options in
            if options.clientIdentity == identity { options.clientIdentity = nil }
            // Whether they are new cannot be seen from a function.
            options.dropTrailers()
        }
        if let target = try? RequestTarget(self.url), let userInfo = target.userInfo,
            userInfo == (try? RequestTarget(redirected.url))?.userInfo
        {
            self.url = RedirectTarget.removingUserInfo(from: self.url)
        }
        // The session's own fields, certificate and trailer fields are added below, where these are looked at.
        self.noteLoss(of: redirected)
        if self.context[HomeOrigin.self] == nil {
            let origin = HomeOrigin.origin(of: redirected, in: home) ?? (try? RequestTarget(redirected.url).origin)
            self.context[HomeOrigin.self] = origin.map(HomeOrigin.init)
        }
    }

    /// Changes the transport options of the request, if it has any.
    fileprivate mutating func changeTransport(_ change: (inout TransportOptions) -> Void) {
        guard var options = self.context[TransportOptions.self] else { return }
        change(&options)
        self.transportOptions = options
    }
}

extension TransportOptions {
    fileprivate mutating func dropTrailers() {
        self.trailers = nil
        self.contentDigestTrailer = nil
    }
}
