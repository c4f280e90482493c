// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The handlers that are asked about the challenges to a request, before the rules are.
struct ChallengeHandlers {
    typealias Handler = AuthenticationChallenge.Handler

    /// The handler of the request.
    private var request: Handler?
    /// The handler of the request's own policy.
    private var ownPolicy: Handler?
    /// The handler of the session; nil if the request has a policy of its own.
    private var session: Handler?

    /// No handlers.
    init() {}

    /// The handlers for a request.
    ///
    /// - Parameters:
    ///   - own: The settings of the request; its own policy replaces that of the session, including the handler.
    ///   - session: The policy of the session.
    init(_ own: RequestAuthentication?, session: AuthenticationPolicy) {
        self.request = own?.handler
        if let policy = own?.policy {
            self.ownPolicy = policy.onChallenge
        } else {
            self.session = session.onChallenge
        }
    }

    /// Whether the session's handler is among them, so that what it has answered before may be sent.
    var includesSession: Bool { self.session != nil }

    /// The handlers in the order in which they are asked, each with the owner of its answers.
    var inOrder: [(handler: Handler, owner: KnownSpaces.Owner)] {
        let all: [(Handler?, KnownSpaces.Owner)] = [
            (self.request, .oneRequest), (self.ownPolicy, .oneRequest), (self.session, .sessionHandler),
        ]
        return all.compactMap { handler, owner in handler.map { ($0, owner) } }
    }
}
