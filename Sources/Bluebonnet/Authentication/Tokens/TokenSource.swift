// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import Synchronization

/// The token of one account, refreshed once for all the calls that need it.
///
/// - A call that finds no token, or one that is about to expire, waits for a refresh before it is sent. A call whose
///   token is refused waits for a refresh and is sent once more. However many calls wait, there is one refresh. A token
///   that was replaced in the meantime is tried at once, without another refresh.
/// - A failed refresh fails every waiting call once, and the token is no longer sent. A later call begins another
///   refresh, with the same token unless the server has refused it. If it has failed because its session was shut down,
///   the calls of other sessions begin another one. If it has failed for a reason that may pass, a ``RetryPolicy`` and
///   an ``EventSource`` treat the error of the call as the one of the refresh.
/// - A refresh ahead of time that fails for a reason that may pass, such as a server that cannot be reached, fails no
///   call: the token is sent until it expires, and the next call begins another refresh.
/// - A call that is cancelled, whose deadline passes, or whose session is shut down, stops waiting. The refresh
///   continues even when no call is left, and the next call gets its token: a server that issues each refresh token
///   once would not accept the old one again.
/// - The calls of the refresh itself bypass the token and the session's limit of calls.
///
/// ```swift
/// let tokens = TokenSource(OAuth2.refreshToken(endpoint: url, client: client), token: stored)
/// configuration.authentication = .tokens(tokens)
/// ```
public final class TokenSource: Sendable {
    /// The limits of a ``TokenSource``.
    public struct Options: Sendable, Hashable {
        /// How long before its expiry a token is replaced: 30 seconds unless changed, at most half of its lifetime.
        public var margin = Duration.seconds(30)

        /// How long a refresh may take: 30 seconds unless changed.
        public var timeout = Duration.seconds(30)

        /// How many refreshes may begin within ``window``: 5 unless changed.
        public var refreshLimit = 5

        /// The time that ``refreshLimit`` is counted in: 30 seconds unless changed.
        public var window = Duration.seconds(30)

        /// Creates the default limits.
        public init() {}
    }

    let authenticator: any Authenticator
    private let options: Options
    private let onRefresh: (@Sendable (AccessToken) async -> Void)?
    private let state: Mutex<TokenState>

    /// The sources whose refresh runs in this task, so that the requests of a refresh do not wait for it.
    @TaskLocal private static var refreshing: [ObjectIdentifier] = []

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - authenticator: Gets and sends the tokens.
    ///   - token: The first token; nil to get one before the first call.
    ///   - options: The limits.
    ///   - onRefresh: Is called with each token that a refresh has obtained, for example to store it, and not with one
    ///     that the program has set. It is called in the task of the refresh, and the calls that wait are sent after it
    ///     has returned. Its time counts against ``Options/timeout``; at that limit its task is cancelled, and the
    ///     calls are sent.
    public init(
        _ authenticator: any Authenticator,
        token: AccessToken? = nil,
        options: Options = Options(),
        onRefresh: (@Sendable (AccessToken) async -> Void)? = nil
    ) {
        self.authenticator = authenticator
        self.options = options
        self.onRefresh = onRefresh
        self.state = Mutex(TokenState(token: token))
    }

    /// The token; nil before the first one, and after a refresh has failed for good.
    public var token: AccessToken? { self.state.withLock { $0.token } }

    /// The number of calls that wait for a refresh.
    var waiterCount: Int { self.state.withLock { $0.flight?.waiters.count ?? 0 } }

    /// Sets the token, after a login for example, or removes it.
    ///
    /// A refresh under way is cancelled. The calls that wait for it get this token, or fail if there is none.
    ///
    /// - Parameter token: The token; nil to forget it.
    public func replace(_ token: AccessToken?) {
        let (flight, version) = self.state.withLock { ($0.replace(token), $0.version) }
        guard let flight else { return }
        let grant = token.map { TokenGrant(token: $0, version: version, isFresh: true) }
        let withdrawn = SessionError.authentication("the token was removed while a new one was waited for")
        self.end(flight, grant.map { .success($0) } ?? .failure(withdrawn))
    }

    /// Whether the caller's task is refreshing this source's token.
    var isRefreshing: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

    /// Whether there is a token that can be sent at a moment.
    func isReady(at now: SessionClock.Instant) -> Bool { self.ready(at: now) != nil }

    private func ready(at now: SessionClock.Instant) -> TokenGrant? {
        self.state.withLock { $0.grant(at: now, margin: self.options.margin) }
    }

    /// Returns a token for a request that was not sent yet.
    func grant(_ next: Chain) async throws -> TokenGrant {
        if let grant = self.ready(at: next.call.clock.now) { return grant }
        return try await self.wait(replacing: nil, next)
    }

    /// Returns a token that replaces one that a server has refused.
    func grant(replacing version: UInt64, _ next: Chain) async throws -> TokenGrant {
        try await self.wait(replacing: version, next)
    }

    /// Whether a token that a server has refused was, or may be, replaced.
    func mayReplace(_ version: UInt64, _ next: Chain) -> Bool {
        self.state.withLock { $0.mayReplace(version, at: next.call.clock.now, self.options) }
    }

    /// Records that a server has refused a token for a request that cannot be sent again.
    func spend(_ version: UInt64) { self.state.withLock { $0.spend(version) } }

    /// The error of a call for which no other refresh may begin.
    ///
    /// - Parameters:
    ///   - options: The limits.
    ///   - isRefused: Whether a server has refused the token.
    ///   - failure: The error of the refresh before; nil if it was successful.
    /// - Returns: The error.
    static func tooManyRefreshes(_ options: Options, isRefused: Bool, after failure: (any Error)?) -> SessionError {
        let need = isRefused ? "the server has refused the token again" : "there is still no token that can be sent"
        return .authentication(
            "\(options.refreshLimit) refreshes of the token were begun within \(options.window), and \(need)",
            underlying: (failure as? SessionError)?.underlying
        )
    }

    // MARK: Waiting

    /// Waits for a token, until the call's deadline or the end of its session at the latest.
    private func wait(replacing version: UInt64?, _ next: Chain) async throws -> TokenGrant {
        let before = next.call.activity
        next.call.activity = .authentication
        let grant = try await next.call.bounded {
            try await next.call.pause { try await self.join(replacing: version, next) }
        }
        next.call.activity = before
        return grant
    }

    /// Waits for a refresh, and for another one if the first was that of another session, which has ended.
    private func join(replacing version: UInt64?, _ next: Chain) async throws -> TokenGrant {
        while true {
            if let grant = try await self.joinFlight(replacing: version, next) { return grant }
        }
    }

    /// Waits for one refresh.
    ///
    /// - Returns: The token; nil if the refresh was that of another session, which has ended.
    private func joinFlight(replacing version: UInt64?, _ next: Chain) async throws -> TokenGrant? {
        let id = self.state.withLock { $0.makeID() }
        var isWaiting = false
        do {
            let grant = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let admission = self.admit((id, continuation), replacing: version, next)
                    if case .resume(let result) = admission { return continuation.resume(with: result) }
                    isWaiting = true
                    guard case .begin(let flight, let token) = admission else {
                        return next.call.tell(.authentication(.refreshJoined))
                    }
                    next.call.tell(.authentication(.refreshStarted))
                    self.begin(flight, token, next)
                }
            } onCancel: {
                self.state.withLock { $0.leave(id) }?.resume(throwing: CancellationError())
            }
            if isWaiting { next.call.tell(.authentication(Self.end(of: grant))) }
            return grant
        } catch let end as EndedSession where end.id != next.call.sessionID {
            return nil
        } catch {
            let error = (error as? EndedSession)?.error ?? error
            if isWaiting, let error = error as? SessionError {
                next.call.tell(.authentication(.refreshFailed(error.code, reason: error.reason)))
            }
            throw error
        }
    }

    /// The event that ends the wait for a token.
    private static func end(of grant: TokenGrant) -> AuthenticationEvent {
        guard let error = grant.failure as? SessionError else { return .refreshEnded }
        return .refreshFailed(error.code, reason: error.reason)
    }

    private func admit(
        _ waiter: (id: UInt64, continuation: TokenState.Waiter),
        replacing version: UInt64?,
        _ next: Chain
    ) -> TokenState.Admission {
        let now = next.call.clock.now
        return self.state.withLock { state in
            Task.isCancelled
                ? .resume(.failure(CancellationError()))
                : state.admit(waiter, replacing: version, now: now, options: self.options)
        }
    }

    // MARK: Refreshing

    private func begin(_ id: UInt64, _ token: AccessToken?, _ next: Chain) {
        let call = next.call
        let context = RefreshContext(next, limit: self.options.timeout)
        let path = Self.refreshing + [ObjectIdentifier(self)]
        // The calls of the refresh are nested in it, even if the call that began it has ended: others wait for it.
        let owner = Call(call.originalRequest, CallHandling(), call.environment.withoutObservers(), totalTimeout: nil)
        // Not children of the call's task: the refresh continues for the others if that call is cancelled. The flight
        // owns both tasks, and cancels them when it ends. A task that ignores its cancellation delays nobody.
        let worker = Task {
            defer { owner.finish(.completed) }
            do {
                let token = try await Self.$refreshing.withValue(path) {
                    try await Call.$current.withValue(owner) {
                        let token = try await self.authenticator.refresh(token, context)
                        await self.report(token, of: id)
                        return token
                    }
                }
                self.complete(id, .success(token), call.clock)
            } catch let error as SessionError where error.code == .shutDown {
                self.abandon(id, call.sessionID, error)
            } catch {
                self.complete(id, .failure(error), call.clock)
            }
        }
        // The flight owns this task too; it ends the wait for a worker that exceeds the time limit.
        let timer = Task {
            guard (try? await call.clock.sleep(for: self.options.timeout)) != nil else { return }
            let late = SessionError(.timedOut, reason: "the refresh did not end within \(self.options.timeout)")
            self.complete(id, .failure(late), call.clock)
        }
        let isUnderWay = self.state.withLock { $0.attach([worker, timer], to: id) }
        if !isUnderWay { for task in [worker, timer] { task.cancel() } }
    }

    /// Tells the program of a token before any call is sent with it: a refresh token that replaces another one must not
    /// be lost if the process ends.
    private func report(_ token: AccessToken, of id: UInt64) async {
        guard let onRefresh, self.state.withLock({ $0.obtain(token, id) }) else { return }
        await onRefresh(token)
    }

    /// Ends a refresh whose session has ended: its own calls fail, those of other sessions ask again.
    private func abandon(_ id: UInt64, _ session: ObjectIdentifier?, _ error: SessionError) {
        guard let flight = self.state.withLock({ $0.abandon(id) }) else { return }
        self.end(flight, .failure(EndedSession(id: session, error: Self.failure(error))))
    }

    private static func failure(_ error: any Error) -> SessionError {
        .authentication("the token could not be refreshed\(Self.text(error))", underlying: error)
    }

    private func complete(_ id: UInt64, _ result: Result<AccessToken, any Error>, _ clock: SessionClock) {
        let outcome = result.mapError { Self.failure($0) as any Error }
        var keepsToken = false
        if case .failure(let error) = result { keepsToken = Self.isTemporary(error) }
        let now = clock.now
        let completed = self.state.withLock { $0.complete(id, outcome, keepsToken: keepsToken, at: now) }
        if let (flight, grant) = completed { self.end(flight, grant) }
    }

    private func end(_ flight: TokenState.Flight, _ result: Result<TokenGrant, any Error>) {
        for task in flight.tasks { task.cancel() }
        for waiter in flight.waiters.values { waiter.resume(with: result) }
    }

    /// Whether a refresh failed for a reason other than the token: the server is out of order, or does not know the
    /// client.
    private static func isTemporary(_ error: any Error) -> Bool {
        switch error {
        case let error as SessionError:
            error.refusedResponse.map { ![400, 401, 403].contains($0.status.code) } ?? true
        case let error as OAuth2Error: error.code != .invalidGrant && error.code != .noRefreshToken
        default: error is CancellationError
        }
    }

    /// The text of this library's errors; an error of another type may contain secrets.
    private static func text(_ error: any Error) -> String {
        switch error {
        case let error as SessionError: ": \(error.reason)"
        case let error as OAuth2Error: ": \(error)"
        default: ", with an error of type \(type(of: error))"
        }
    }
}

/// The error of a refresh that failed because its session was shut down.
private struct EndedSession: Error {
    let id: ObjectIdentifier?
    /// What the calls of that session get.
    let error: SessionError
}

extension Call {
    /// Identifies the session; nil in a test of one interceptor.
    fileprivate var sessionID: ObjectIdentifier? { self.environment.admission.map { ObjectIdentifier($0) } }
}
