// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// What a request says about authentication, in its context.
struct RequestAuthentication: Sendable {
    var policy: AuthenticationPolicy?
    var handler: AuthenticationChallenge.Handler?
}

extension Request {
    /// Whether it has credentials, or a handler of challenges, of its own.
    var hasAuthentication: Bool { !self.context.isEmpty && self.context[RequestAuthentication.self] != nil }

    /// The credentials of this request, in place of those of the session; nil, the default, for those of the session.
    ///
    /// A rule without an origin belongs to the origin of the request's URL. ``AuthenticationPolicy/onChallenge`` of the session is not asked, and what
    /// it has answered before is not sent. ``AuthenticationPolicy/none`` sends the request without credentials.
    public var authentication: AuthenticationPolicy? {
        get { self.context[RequestAuthentication.self]?.policy }
        set {
            var value = self.context[RequestAuthentication.self] ?? RequestAuthentication()
            value.policy = newValue
            self.context[RequestAuthentication.self] = value
        }
    }

    /// Decides about each challenge to this request, before the session's handler and all rules; nil, the default, for those alone.
    ///
    /// What it answers is used for this request only. On a redirect it is asked again: look at ``AuthenticationChallenge/space``.
    public var onAuthenticationChallenge: AuthenticationChallenge.Handler? {
        get { self.context[RequestAuthentication.self]?.handler }
        set {
            var value = self.context[RequestAuthentication.self] ?? RequestAuthentication()
            value.handler = newValue
            self.context[RequestAuthentication.self] = value
        }
    }

    /// Whether code of the program decides about challenges to this request, or keeps its credentials.
    var runsProgramCode: Bool {
        guard !self.context.isEmpty, let own = self.context[RequestAuthentication.self] else { return false }
        return own.handler != nil || own.policy?.runsProgramCode == true
    }
}
