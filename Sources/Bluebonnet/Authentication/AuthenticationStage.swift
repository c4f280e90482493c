// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Authenticates the client: with the session's policy, with that of a request, and with the user information of URLs.
///
/// It runs below the redirect stage, so that each hop is authenticated for its own origin.
final class AuthenticationStage: IdleStage {
    private let policy: AuthenticationPolicy
    private let spaces: KnownSpaces
    /// Which requests the server never gets; nil without a cache.
    private let storeOnly: StoreOnlyRule?

    init(_ configuration: Session.Configuration) {
        self.policy = configuration.authentication
        self.spaces = KnownSpaces(largestCount: configuration.limits.protectionSpaceCount)
        self.storeOnly = configuration.cache == nil ? nil : StoreOnlyRule(configuration)
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        if self.isIdle(for: request, of: next.call) { return try await self.passIdle(request, next: next) }
        return try await self.send(request, next)
    }

    func isIdle(for request: Request, of call: Call) -> Bool {
        guard !Self.isAuthorized(request) else { return true }
        return self.policy.isNone && !request.hasAuthentication && !self.knowsUserInfo(of: request, call)
    }

    /// Whether a server has accepted the user information of the URL, so that it is sent in the scheme that was asked for.
    private func knowsUserInfo(of request: Request, _ call: Call) -> Bool {
        // Checked first: for nearly all sessions without a policy it is false, and the URL need not be parsed here.
        guard self.spaces.isAnyConfirmed, let target = try? call.target(of: request.url),
            let userInfo = target.userInfo, let credential = try? Credential(userInfo)
        else { return false }
        return self.spaces.entry(target.origin, target.target, .rule, credential) != nil
    }

    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool {
        response.status.code == 401 && !Self.isAuthorized(request)
    }

    func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse {
        try await self.answerServer(request, after: response, next)
    }

    /// An Authorization field that the program has set is sent unchanged, and the program handles the response.
    ///
    /// The same holds after a redirect has dropped the field: at its origin the session does not act for another user.
    private static func isAuthorized(_ request: Request) -> Bool {
        if request.headers.contains(.authorization) { return true }
        return LeftOrigins.withholds(.authorization, from: request)
            && request.context[RequestAuthentication.self]?.policy == nil
    }

    /// Sends a request that a policy applies to.
    private func send(_ request: Request, _ next: Chain) async throws -> StreamedResponse {
        let own = request.context[RequestAuthentication.self]
        let target = try next.target(of: request)
        switch try self.source(for: request, target, own, next) {
        case .tokens(let tokens):
            if tokens.isRefreshing { return try await next(request) }
            let exchange = TokenExchange(tokens: tokens, target: target, storeOnly: self.storeOnly, next: next)
            let (response, isRefused) = try await exchange.send(request)
            guard isRefused || response.status == .unauthorized else { return response }
            return try await self.askHandlers(request, after: response, own, target, next)
        case .token(let token):
            var authorized = request
            try authorized.authorize(bearer: token)
            let response = try await next(authorized)
            guard response.status == .unauthorized else { return response }
            return try await self.askHandlers(request, after: response, own, target, next)
        case .challenges(let source):
            var exchange = ChallengeExchange(
                source: source,
                handlers: ChallengeHandlers(own, session: self.policy),
                spaces: self.spaces,
                target: target,
                next: next
            )
            return try await exchange.send(request)
        }
    }

    /// Asks the handlers about the challenge with which a server has refused a token for good.
    private func askHandlers(
        _ request: Request,
        after response: StreamedResponse,
        _ own: RequestAuthentication?,
        _ target: RequestTarget,
        _ next: Chain
    ) async throws -> StreamedResponse {
        let handlers = ChallengeHandlers(own, session: self.policy)
        guard response.status == .unauthorized, !handlers.inOrder.isEmpty else {
            next.call.tell(.authentication(.challengeRefused(.credentialRefused, target.origin)))
            return response
        }
        var exchange = ChallengeExchange(
            source: .none,
            handlers: handlers,
            spaces: self.spaces,
            target: target,
            next: next,
            failureCount: 1
        )
        return try await exchange.send(request, after: response)
    }

    /// Answers a challenge to a request that there is no policy for; user information in its URL may be an answer.
    private func answerServer(
        _ request: Request,
        after response: StreamedResponse,
        _ next: Chain
    ) async throws -> StreamedResponse {
        let target = try next.target(of: request)
        guard let userInfo = target.userInfo else {
            next.call.tell(.authentication(.challengeRefused(.noCredential, target.origin)))
            return response
        }
        var exchange = ChallengeExchange(
            source: .fixed(try Credential(userInfo), [.digest, .basic], isPreemptive: false),
            handlers: ChallengeHandlers(),
            spaces: self.spaces,
            target: target,
            next: next
        )
        return try await exchange.send(request, after: response)
    }

    // MARK: Choosing a source

    private enum Source {
        case tokens(TokenSource)
        case token(String)
        case challenges(CredentialSource)
    }

    /// The source of credentials for the origin of a request.
    private func source(
        for request: Request,
        _ target: RequestTarget,
        _ own: RequestAuthentication?,
        _ next: Chain
    ) throws(SessionError) -> Source {
        if let userInfo = target.userInfo {
            return .challenges(.fixed(try Credential(userInfo), [.digest, .basic], isPreemptive: false))
        }
        let origin = target.origin
        let first = try CredentialOrigin.origin(of: next.call.originalRequest)
        let home = own?.policy == nil ? HomeOrigin.origin(of: request, in: next.call.environment.home) : first
        for rule in (own?.policy ?? self.policy).rules {
            switch rule.scope {
            case .any: break
            case .origin(let scope): guard scope == origin else { continue }
            case .home:
                guard let home else { throw Self.homeless }
                guard home == origin else { continue }
            }
            switch rule.source {
            case .tokens(let tokens): return .tokens(tokens)
            case .token(let token): return .token(token)
            case .password(let credential, let schemes, let isPreemptive):
                return .challenges(.fixed(credential, schemes, isPreemptive: isPreemptive))
            case .store(let store): return .challenges(.store(store))
            case .netrc(let netrc):
                // The file names hosts without ports, so a redirect target is not covered by its entries.
                guard origin == first, let credential = netrc[origin.host] else { continue }
                return .challenges(.fixed(credential, [.digest, .basic], isPreemptive: false))
            }
        }
        return .challenges(.none)
    }

    private static let homeless = SessionError(
        .invalidConfiguration,
        reason: "the session has no base URL, so each rule of its authentication needs an origin; write it with for:"
    )
}

/// Where the answers to challenges come from.
enum CredentialSource: Sendable {
    case none
    case fixed(Credential, [AuthenticationScheme], isPreemptive: Bool)
    case store(any CredentialStore)
}

extension Credential {
    /// The user information of a URL.
    init(_ userInfo: String) throws(SessionError) {
        let (user, password) = try UserInformation.decode(userInfo)
        self = .password(user, password)
    }
}
