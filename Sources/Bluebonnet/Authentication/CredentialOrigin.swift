// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

/// The origin that a request's own credentials and a `.netrc` file are for, in the context of a request that begins a
/// call for a URL that a server has named.
///
/// A request without it belongs to the origin of its URL, which the program has chosen.
struct CredentialOrigin: Sendable {
    private var origin: Origin

    /// The origin that the credentials of a call are for.
    ///
    /// - Parameter request: The request that the call was made for.
    /// - Returns: The origin that the program has given them for.
    /// - Throws: `SessionError` with `invalidURL`.
    static func origin(of request: Request) throws(SessionError) -> Origin {
        if !request.context.isEmpty, let known = request.context[Self.self] { return known.origin }
        return try RequestTarget(request.url).origin
    }

    fileprivate init(of request: Request) throws(SessionError) {
        self.origin = try Self.origin(of: request)
    }
}

extension Request {
    /// The request of a new call for a URL that a server has named.
    ///
    /// For another origin it keeps only what may go there, and its credentials stay those of the origin that they were
    /// given for: to the call, the URL is the first one.
    ///
    /// - Parameters:
    ///   - target: The URL.
    ///   - home: The home origin of the session.
    /// - Returns: The request, with the same method and body.
    /// - Throws: `SessionError` with `invalidURL`.
    func following(_ target: RedirectTarget, home: Origin?) throws(SessionError) -> Request {
        var request = RedirectProposal(.temporaryRedirect, self, target, keepsPost: true, home: home).request
        request.context[CredentialOrigin.self] = try CredentialOrigin(of: self)
        return request
    }
}
