// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The state machine of a ``TokenSource``; it neither waits nor calls other code.
struct TokenState {
    typealias Waiter = CheckedContinuation<TokenGrant, any Error>

    /// A refresh under way.
    struct Flight {
        var id: UInt64
        var waiters: [UInt64: Waiter] = [:]
        /// The new token, while the program is told of it.
        var obtained: AccessToken?
        /// The task that refreshes, and the one that enforces the time limit.
        var tasks: [Task<Void, Never>] = []
    }

    /// The action for a call that asks for a token.
    enum Admission {
        case resume(Result<TokenGrant, any Error>)
        /// The call waits for the refresh under way.
        case wait
        /// The call begins a refresh and waits for it.
        case begin(id: UInt64, AccessToken?)
    }

    private(set) var token: AccessToken?
    private(set) var version: UInt64 = 0
    private(set) var flight: Flight?
    /// Whether the token may be refreshed, but not sent: a server has refused it, or a refresh of it has failed.
    private var isSpent = false
    /// The refresh that failed last, and the version of the token that it was to replace.
    private var failure: (version: UInt64, error: any Error)?
    private var beginnings: [SessionClock.Instant] = []
    private var lastID: UInt64 = 0

    init(token: AccessToken?) {
        self.token = token
    }

    mutating func makeID() -> UInt64 {
        self.lastID += 1
        return self.lastID
    }

    /// Returns the token that can be sent now; nil if there is none.
    func grant(at now: SessionClock.Instant, margin: Duration) -> TokenGrant? {
        guard let token, !self.isSpent, !token.isExpiring(at: now, margin: margin) else { return nil }
        return TokenGrant(token: token, version: self.version, isFresh: false)
    }

    /// Admits a call that needs a token.
    ///
    /// - Parameters:
    ///   - waiter: The call.
    ///   - refused: The version of the token that a server has refused; nil for a call that was not sent yet.
    ///   - now: The time.
    ///   - options: The limits of the source.
    /// - Returns: What the call is to do.
    mutating func admit(
        _ waiter: (id: UInt64, continuation: Waiter),
        replacing refused: UInt64?,
        now: SessionClock.Instant,
        options: TokenSource.Options
    ) -> Admission {
        let isRefused = refused == self.version
        if !isRefused, let refused, let failure, failure.version == refused {
            // The refresh that this call would have waited for has failed before its response came.
            return .resume(.failure(failure.error))
        }
        if !isRefused, let grant = self.grant(at: now, margin: options.margin) { return .resume(.success(grant)) }
        if self.flight != nil {
            if isRefused { self.isSpent = true }
            self.flight?.waiters[waiter.id] = waiter.continuation
            return .wait
        }
        // One resource that always refuses must not make the token unusable for all others.
        guard self.mayBegin(at: now, options) else {
            // A token that is about to expire is still good: without another one it is better than a failure.
            if !isRefused, let grant = self.grant(at: now, margin: .zero) { return .resume(.success(grant)) }
            let failure = self.failure?.error
            return .resume(.failure(TokenSource.tooManyRefreshes(options, isRefused: isRefused, after: failure)))
        }
        if isRefused { self.isSpent = true }
        self.beginnings.append(now)
        let id = self.makeID()
        self.flight = Flight(id: id, waiters: [waiter.id: waiter.continuation])
        return .begin(id: id, self.token)
    }

    /// Whether a token that was refused can be replaced.
    mutating func mayReplace(_ refused: UInt64, at now: SessionClock.Instant, _ options: TokenSource.Options) -> Bool {
        refused != self.version || self.flight != nil || self.mayBegin(at: now, options)
    }

    private mutating func mayBegin(at now: SessionClock.Instant, _ options: TokenSource.Options) -> Bool {
        self.beginnings.removeAll { $0.duration(to: now) >= options.window }
        return self.beginnings.count < options.refreshLimit
    }

    /// Stores the tasks of a refresh.
    ///
    /// - Returns: Whether the refresh is still under way; if not, the caller cancels the tasks.
    mutating func attach(_ tasks: [Task<Void, Never>], to id: UInt64) -> Bool {
        guard self.flight?.id == id else { return false }
        self.flight?.tasks = tasks
        return true
    }

    /// Stores the token of a refresh, which continues until the program has been told of the token.
    ///
    /// - Returns: Whether the refresh is still under way; if not, the token is dropped.
    mutating func obtain(_ token: AccessToken, _ id: UInt64) -> Bool {
        guard self.flight?.id == id else { return false }
        self.flight?.obtained = token
        return true
    }

    /// Removes a waiting call.
    ///
    /// The refresh continues even if no call waits: the server may have consumed the refresh token already, and the new
    /// token must not be lost.
    mutating func leave(_ id: UInt64) -> Waiter? { self.flight?.waiters.removeValue(forKey: id) }

    /// Ends a refresh.
    ///
    /// - Parameters:
    ///   - id: Its identifier; a refresh that is no longer under way changes nothing.
    ///   - result: The token, or the error for every call that waits.
    ///   - keepsToken: Whether a failed refresh may be tried again with the same token. If no server has refused the
    ///     token, it is also sent until it expires.
    ///   - now: The time.
    /// - Returns: The waiting calls, and their result; nil if the refresh is not under way.
    mutating func complete(
        _ id: UInt64,
        _ result: Result<AccessToken, any Error>,
        keepsToken: Bool,
        at now: SessionClock.Instant
    ) -> (Flight, Result<TokenGrant, any Error>)? {
        guard self.flight?.id == id, let flight = self.flight.take() else { return nil }
        switch flight.obtained.map({ .success($0) }) ?? result {
        case .success(let token):
            self.set(token)
            return (flight, .success(TokenGrant(token: token, version: self.version, isFresh: true)))
        case .failure(let error):
            if keepsToken, var grant = self.grant(at: now, margin: .zero) {
                grant.failure = error
                return (flight, .success(grant))
            }
            self.failure = (self.version, error)
            self.version += 1
            self.isSpent = true
            if !keepsToken { self.token = nil }
            return (flight, .failure(error))
        }
    }

    /// Ends a refresh whose session has ended, which says nothing about the token and does not count.
    ///
    /// - Parameter id: Its identifier.
    /// - Returns: The waiting calls; nil if the refresh is not under way.
    mutating func abandon(_ id: UInt64) -> Flight? {
        guard self.flight?.id == id else { return nil }
        _ = self.beginnings.popLast()
        return self.flight.take()
    }

    /// Sets the program's token, and ends a refresh under way.
    mutating func replace(_ token: AccessToken?) -> Flight? {
        self.set(token)
        return self.flight.take()
    }

    /// Records that a server has refused a token, without beginning a refresh.
    mutating func spend(_ version: UInt64) {
        if version == self.version { self.isSpent = true }
    }

    private mutating func set(_ token: AccessToken?) {
        self.token = token
        self.version += 1
        self.isSpent = false
        self.failure = nil
    }
}

/// A token that may be sent.
struct TokenGrant: Sendable {
    var token: AccessToken

    /// The version of the token, which counts the tokens of its source.
    var version: UInt64

    /// Whether it was obtained for the call that asked.
    var isFresh: Bool

    /// The error of the refresh that was to replace the token ahead of time; nil if there was none, or it succeeded.
    var failure: (any Error)?
}
