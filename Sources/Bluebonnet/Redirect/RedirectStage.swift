// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// Follows redirects as the session's policy says.
///
/// Every hop goes through the stages below again.
final class RedirectStage: IdleStage {
    private let policy: RedirectPolicy

    init(policy: RedirectPolicy) {
        self.policy = policy
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        try await self.passIdle(request, next: next)
    }

    func isIdle(for request: Request, of call: Call) -> Bool { true }

    /// Most responses are not redirects: they cost a check of the status.
    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool {
        Self.hasRedirectStatus(response)
    }

    func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse {
        guard let location = response.redirectLocation else { return response }
        do {
            return try await self.follow(response, location, of: request, next)
        } catch var error as SessionError {
            // An error before or in the last hop says nothing about the hops before it.
            if next.call.isRequestSent { error.isRequestSent = true }
            throw error
        }
    }

    static func hasRedirectStatus(_ response: borrowing StreamedResponse) -> Bool {
        switch response.status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Follows a redirect, and those after it.
    private func follow(
        _ first: StreamedResponse,
        _ location: [UInt8],
        of request: Request,
        _ next: Chain
    ) async throws -> StreamedResponse {
        var (request, response, location) = (request, first, location)
        var history: [Response] = []
        while let following = try await self.request(after: response, location, history, request, next.call) {
            let wait = RedirectWait(response, self.policy, next.call)
            guard wait.isAllowed else { return response }
            history.append(response.response(body: Data()))
            await next.call.discard(response.body)
            next.call.beginHop()
            next.call.tell(.redirected(following))
            try await wait.run()
            request = following
            do {
                response = try await next(request)
            } catch let error as SessionError {
                throw error.following(history)
            }
            response.history = history
            guard let further = response.redirectLocation else { return response }
            location = further
        }
        return response
    }

    /// The request that follows a redirect; nil if the response is to be delivered.
    private func request(
        after response: StreamedResponse,
        _ location: [UInt8],
        _ history: [Response],
        _ request: Request,
        _ call: Call
    ) async throws -> Request? {
        guard let target = RedirectTarget(location, from: request.url) else { return nil }
        // What was read cannot be told from a new body by its value.
        let spent = SpentBody(request.body, isWhole: call.leavesBody)
        var request = request
        request.body = spent.body
        let (keepsPost, home) = (self.policy.keepsPost, call.environment.home)
        let proposal = RedirectProposal(response.status, request, target, keepsPost: keepsPost, home: home)
        let redirect = Redirect(
            response: response.response(body: Data()),
            request: request,
            proposedRequest: proposal.request,
            isCrossOrigin: target.isCrossOrigin,
            count: history.count,
            retryAfter: RetryAfter.delay(response.headers, now: { self.policy.wallClock.now })
        )
        guard var following = try await self.decision(about: redirect, call) else { return nil }
        if request.keepsMethod {
            guard following.method == request.method else { return nil }
            // The program may have made a request of its own, which may be redirected again.
            following.keepsMethod = true
        }
        guard history.count < self.policy.maximumCount else {
            throw self.error(
                .tooManyRedirects,
                "it was redirected more than \(self.policy.maximumCount) times",
                response
            )
        }
        // The program's request decides, not the Location field.
        let source = try RequestTarget(request.url).origin
        let origin = try RequestTarget(following.url).origin
        // Not only the proposal: a program may build its request from the redirected one.
        if origin != source { following.leaveOrigin(of: request, home: home) }
        if source.scheme == .https, origin.scheme == .http, !self.policy.allowsDowngrade {
            throw self.error(.redirectRefused, "the redirect leads from https to http", response)
        }
        guard let body = try await spent.replacement(following.body) else {
            throw self.error(
                .redirectRefused,
                "status \(response.status.code) wants the body sent again, and this one can be read only once",
                response
            )
        }
        following.body = body
        return following
    }

    private func decision(about redirect: Redirect, _ call: Call) async throws -> Request? {
        do {
            guard self.policy.isOfProgram else { return try await self.policy.decide(redirect) }
            return try await call.decision { try await self.policy.decide(redirect) }
        } catch {
            throw SessionError.wrapping(error, request: redirect.request, source: .redirectPolicy)
        }
    }

    private func error(_ code: SessionError.Code, _ reason: String, _ response: StreamedResponse) -> SessionError {
        SessionError(
            code,
            reason: reason,
            request: response.request,
            response: response.response(body: Data()),
            isRequestSent: true
        )
    }
}

extension SessionError {
    /// The error of a request that redirects have led to: its response names those before it.
    fileprivate func following(_ history: [Response]) -> SessionError {
        guard var source = self.response?.source as? ExchangeSource, source.facts.history.isEmpty else { return self }
        source.facts.history = history
        var error = self
        error.response?.source = source
        return error
    }
}

extension StreamedResponse {
    /// The bytes of the Location field of a redirect; nil if there is none, or several that differ.
    fileprivate var redirectLocation: [UInt8]? {
        guard RedirectStage.hasRedirectStatus(self) else { return nil }
        let locations = self.headers[fields: .location].map { $0.withUnsafeBytesOfValue { Array($0) } }
        guard let first = locations.first, locations.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
