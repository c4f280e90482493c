// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// The authentication settings of a request, kept in its context.
struct RequestAuthentication: Sendable {
    var policy: AuthenticationPolicy?
    var handler: AuthenticationChallenge.Handler?
}

extension Request {
    /// Whether the request has its own credentials or its own handler of challenges.
    var hasAuthentication: Bool { !self.context.isEmpty && self.context[RequestAuthentication.self] != nil }

    /// The credentials of this request, which replace those of the session; nil, the default, to use the session's.
    ///
    /// A rule without an origin belongs to the origin of the request's URL. The session's
    /// ``AuthenticationPolicy/onChallenge`` is not called, and its earlier answers are not sent.
    /// ``AuthenticationPolicy/anonymous`` sends the request without credentials.
    public var authentication: AuthenticationPolicy? {
        get { self.context[RequestAuthentication.self]?.policy }
        set {
            var value = self.context[RequestAuthentication.self] ?? RequestAuthentication()
            value.policy = newValue
            self.context[RequestAuthentication.self] = value
        }
    }

    /// Decides about each challenge to this request, before the session's handler and all rules; nil, the default, to
    /// use only those.
    ///
    /// Its answers are used for this request only. It is called again after a redirect: check
    /// ``AuthenticationChallenge/space``.
    public var onAuthenticationChallenge: AuthenticationChallenge.Handler? {
        get { self.context[RequestAuthentication.self]?.handler }
        set {
            var value = self.context[RequestAuthentication.self] ?? RequestAuthentication()
            value.handler = newValue
            self.context[RequestAuthentication.self] = value
        }
    }

    /// Whether the program's own code decides about challenges to this request or stores its credentials.
    var runsProgramCode: Bool {
        guard !self.context.isEmpty, let own = self.context[RequestAuthentication.self] else { return false }
        return own.handler != nil || own.policy?.runsProgramCode == true
    }
}
