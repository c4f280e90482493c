// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// Sends one request, answers the challenges to it, and sends it again.
struct ChallengeExchange {
    let source: CredentialSource
    let handlers: ChallengeHandlers
    let spaces: KnownSpaces
    let target: RequestTarget
    let next: Chain

    /// The answers that the server has refused; none of them is sent again.
    private var refused: Set<CredentialAnswer.Identity> = []
    /// The credentials of every Digest answer that was followed by a 401, preemptive answers included.
    private var refusedWithDigest: Set<Credential> = []
    private var failureCount: Int
    /// Whether a server that has accepted the credential with Digest would get it with Basic, because Digest has no
    /// answer now.
    private var mustWithholdPassword = false
    private var turn = NonceTurn()

    private var limits: Session.Limits { self.next.call.environment.limits }

    init(
        source: CredentialSource,
        handlers: ChallengeHandlers,
        spaces: KnownSpaces,
        target: RequestTarget,
        next: Chain,
        failureCount: Int = 0
    ) {
        self.source = source
        self.handlers = handlers
        self.spaces = spaces
        self.target = target
        self.next = next
        self.failureCount = failureCount
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response to it, if it was sent already.
    /// - Returns: The response to the last request that was sent.
    /// - Throws: `SessionError` with `authenticationFailed` or `authenticationCancelled`; what the chain throws.
    mutating func send(
        _ request: Request,
        after response: StreamedResponse? = nil
    ) async throws -> StreamedResponse {
        var sent: Sent?
        var current: StreamedResponse
        if let response {
            current = response
        } else {
            sent = try await self.preemptiveAnswer(to: request)
            current = try await self.next(self.authorized(request, sent))
        }
        var count = 0
        defer { self.turn.end() }
        while current.status == .unauthorized,
            case .send(let answer) = try await self.step(after: current, sent, request, count)
        {
            sent = answer
            count += 1
            try await self.next.call.waitWhileSuspended()
            current = try await self.turn.send(self.authorized(request, sent), self.next)
        }
        try self.accept(sent, current)
        return current
    }

    /// An answer, and the owner of its credential.
    private typealias Sent = (answer: CredentialAnswer, owner: KnownSpaces.Owner)

    /// What follows a 401.
    private enum Step {
        /// The request is sent again, with an answer, or without one to get a nonce.
        case send(Sent?)
        case deliver
    }

    /// Finds the answer to a 401, and reads the 401 to its end if there is one.
    ///
    /// This is a separate function so that its values are not kept while the caller waits for the server.
    ///
    /// - Parameters:
    ///   - response: The 401.
    ///   - sent: The answer that it refuses.
    ///   - request: The request.
    ///   - count: The number of challenges before it.
    /// - Returns: What is to be done.
    /// - Throws: `SessionError`; what the program's handlers throw.
    @inline(never)
    private mutating func step(
        after response: StreamedResponse,
        _ sent: Sent?,
        _ request: Request,
        _ count: Int
    ) async throws -> Step {
        let challenges = HTTPChallenge.challenges(in: response.headers)
        self.note(sent?.answer, response, challenges)
        guard count < self.limits.challengeCount else {
            self.tellRefusal(.tooManyChallenges)
            return .deliver
        }
        // The challenge to that request must still be answered.
        if self.turn.isDue, request.body.isReplayable, count + 1 < self.limits.challengeCount {
            await self.next.call.discard(response.body)
            try await self.turn.take(self.spaces, self.next.call)
            self.mustWithholdPassword = true
            return .send(nil)
        }
        let found: Sent?
        do {
            found = try await self.answer(to: challenges, request, response)
        } catch let error as SessionError where error.code != .timedOut {
            throw error.following(response)
        }
        guard let answer = found else {
            self.tellRefusal(self.failureCount > 0 ? .credentialRefused : .noCredential)
            return .deliver
        }
        guard self.canSend(request.body, with: answer.answer) else {
            self.tellRefusal(.bodyIsGone)
            throw Self.bodyIsGone(response)
        }
        self.next.call.tell(.authentication(.challengeAnswered(answer.answer.scheme, answer.answer.space)))
        await self.next.call.discard(response.body)
        return .send(answer)
    }

    /// Whether the body can be sent with an answer; one that can be read only once cannot be hashed first.
    private func canSend(_ body: RequestBody, with answer: CredentialAnswer) -> Bool {
        guard answer.digest?.session.challenge.quality == .integrity else { return self.next.call.canSend(body) }
        return body.isReplayable
    }

    private func tellRefusal(_ refusal: ChallengeRefusal) {
        self.next.call.tell(.authentication(.challengeRefused(refusal, self.target.origin)))
    }

    static func bodyIsGone(_ response: StreamedResponse) -> SessionError {
        .authentication(
            "the server wants credentials with the body sent again, and this body can be read only once",
            response
        )
    }

    @inline(never)
    private func authorized(_ request: Request, _ sent: Sent?) -> Request {
        guard sent != nil || self.mustWithholdPassword else { return request }
        var request = request
        guard let answer = sent?.answer else {
            request.context[UserInfoIsWithheld.self] = UserInfoIsWithheld()
            if self.turn.hasCome { request.bypassStored(.unauthorized) }
            return request
        }
        request.authorize(with: answer)
        return request
    }

    // MARK: Responses

    /// Records a 401.
    private mutating func note(
        _ answer: CredentialAnswer?,
        _ response: StreamedResponse,
        _ challenges: [HTTPChallenge]
    ) {
        if answer == nil, case .fixed(let credential, _, _) = self.source,
            response.request.headers[.authorization]?.utf8.starts(with: "Basic ".utf8) == true
        {
            // The headers stage has sent the user information of the URL.
            self.refused.insert(.init(scheme: .basic, credential: credential, realm: nil))
            self.failureCount += 1
        }
        guard let answer else { return }
        if answer.digest != nil { self.refusedWithDigest.insert(answer.credential) }
        let isStale = challenges.contains { challenge in
            guard answer.digest != nil, let digest = DigestChallenge(challenge) else { return false }
            return digest.isStale && digest.realm.utf8.elementsEqual(answer.space.realm.utf8)
        }
        // A nonce that was sent preemptively may have expired without `stale`: a restarted server does not know it.
        if isStale || answer.isPreemptive && answer.digest != nil {
            self.turn.noteStale(in: answer.space)
            return
        }
        self.refused.insert(answer.identity)
        self.failureCount += 1
        self.spaces.forget(answer)
    }

    /// Processes the last response.
    @inline(never)
    private func accept(_ sent: Sent?, _ response: StreamedResponse) throws(SessionError) {
        // After a 407 the request has not reached the server.
        guard let (answer, owner) = sent, response.status != .unauthorized,
            response.status != .proxyAuthenticationRequired
        else { return }
        try ServerProof.check(response, to: answer)
        // A preemptive answer without a challenge says nothing about the space.
        guard owner != .oneRequest, answer.digest != nil || !answer.isPreemptive else { return }
        self.spaces.confirm(self.entry(answer, owner), for: self.target.target)
    }

    private func entry(_ answer: CredentialAnswer, _ owner: KnownSpaces.Owner) -> KnownSpaces.Entry {
        KnownSpaces.Entry(
            space: answer.space,
            scheme: answer.scheme,
            credential: answer.credential,
            owner: owner,
            paths: KnownSpaces.Entry.paths(
                answer.digest?.session.challenge,
                self.target.target,
                self.target.origin
            ),
            digest: answer.digest?.session
        )
    }

    // MARK: Preemptive answers

    /// The answer that is sent before a challenge, to a space that has accepted it before.
    private mutating func preemptiveAnswer(to request: Request) async throws -> Sent? {
        let (origin, target) = (self.target.origin, self.target.target)
        let found: KnownSpaces.Entry?
        switch self.source {
        case .none: found = nil
        case .fixed(let credential, let schemes, let isPreemptive):
            let known = self.spaces.entry(origin, target, .rule, credential)
            if known == nil, isPreemptive, schemes == [.basic] {
                let space = ProtectionSpace(origin: origin, realm: "")
                return try CredentialAnswer.basic(credential, in: space).map { (Self.unasked($0), .rule) }
            }
            found = known.flatMap { schemes.contains($0.scheme) ? $0 : nil }
        case .store(let store):
            var known = self.spaces.entry(origin, target, .store, nil)
            if let space = known?.space, try await Self.credential(in: store, for: space) != known?.credential {
                known = nil
            }
            found = known
        }
        let entry =
            found ?? (self.handlers.includesSession ? self.spaces.entry(origin, target, .sessionHandler, nil) : nil)
        guard let entry else { return nil }
        // A body that can be read once cannot be hashed first.
        if entry.digest?.challenge.quality == .integrity, !request.body.isReplayable {
            self.mustWithholdPassword = true
            return nil
        }
        return try await self.answer(entry.credential, entry.scheme, entry.space, entry.digest, request)
            .map { (Self.unasked($0), entry.owner) }
    }

    private static func unasked(_ answer: CredentialAnswer) -> CredentialAnswer {
        var answer = answer
        answer.isPreemptive = true
        return answer
    }

    private static func credential(
        in store: any CredentialStore,
        for space: ProtectionSpace
    ) async throws -> Credential? {
        do {
            return try await store.credential(for: space)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw SessionError.authentication("the store of credentials failed", underlying: error)
        }
    }

    // MARK: Answering

    /// The answer to the strongest challenge that can be answered; nil if none can.
    private func answer(
        to challenges: [HTTPChallenge],
        _ request: Request,
        _ response: StreamedResponse
    ) async throws -> Sent? {
        for candidate in ChallengeCandidate.candidates(challenges) {
            let space = ProtectionSpace(origin: self.target.origin, realm: candidate.challenge.realm ?? "")
            guard let (credential, owner) = try await self.credential(for: candidate, space, request, response)
            else { continue }
            let scheme = candidate.challenge.scheme
            let realm = candidate.digest == nil ? nil : space.realm
            // Before the answer is made: one that is not sent would use up a number of its nonce.
            guard !self.refused.contains(.init(scheme: scheme, credential: credential, realm: realm)) else { continue }
            if scheme == .basic, self.wouldRevealPassword(credential, owner) { continue }
            let user = self.turn.hasCome && candidate.digest != nil ? .oneRequest : owner
            let session = candidate.digest.map { challenge in
                self.session(for: challenge, credential, user, space)
            }
            let answer = try await self.answer(credential, scheme, space, session, request)
            if let answer { return (answer, user) }
        }
        return nil
    }

    /// Whether Basic would reveal a password that the server has refused with Digest.
    ///
    /// A server that offers only Basic after Digest may be after the password, so only a handler may send it then.
    private func wouldRevealPassword(_ credential: Credential, _ owner: KnownSpaces.Owner) -> Bool {
        guard owner == .rule || owner == .store else { return false }
        return self.refusedWithDigest.contains(credential)
    }

    /// What a handler or the source gives for a challenge; nil to go on with the next one.
    private func credential(
        for candidate: ChallengeCandidate,
        _ space: ProtectionSpace,
        _ request: Request,
        _ response: StreamedResponse
    ) async throws -> (Credential, KnownSpaces.Owner)? {
        for (handler, owner) in self.handlers.inOrder {
            let challenge = AuthenticationChallenge(
                scheme: candidate.challenge.scheme,
                space: space,
                challenge: candidate.challenge,
                previousFailureCount: self.failureCount,
                request: request,
                response: response.response(body: Data())
            )
            switch try await self.decision(of: handler, challenge, response).kind {
            case .use(let credential): return (credential, owner)
            case .rejectProtectionSpace: return nil
            case .performDefaultHandling: continue
            case .cancel: throw self.cancelled(response)
            }
        }
        switch self.source {
        case .none: return nil
        case .fixed(let credential, let schemes, _):
            return schemes.contains(candidate.challenge.scheme) ? (credential, .rule) : nil
        case .store(let store):
            return try await Self.credential(in: store, for: space).map { ($0, .store) }
        }
    }

    private func decision(
        of handler: @escaping AuthenticationChallenge.Handler,
        _ challenge: AuthenticationChallenge,
        _ response: StreamedResponse
    ) async throws -> AuthenticationChallenge.Decision {
        let decision: Result<AuthenticationChallenge.Decision, any Error> = try await self.next.call.decision {
            do { return .success(try await handler(challenge)) } catch { return .failure(error) }
        }
        // The handler's own tasks may be cancelled while the call is not.
        if Task.isCancelled { throw CancellationError() }
        return try decision.mapError { self.cancelled(response, $0) }.get()
    }

    private func cancelled(_ response: StreamedResponse, _ underlying: (any Error)? = nil) -> SessionError {
        self.tellRefusal(.cancelled)
        var error = SessionError.authentication(
            "the program has cancelled the authentication",
            underlying: underlying,
            response
        )
        error.code = .authenticationCancelled
        return error
    }

    private func session(
        for challenge: DigestChallenge,
        _ credential: Credential,
        _ owner: KnownSpaces.Owner,
        _ space: ProtectionSpace
    ) -> DigestSession {
        let entry = KnownSpaces.Entry(
            space: space,
            scheme: .digest,
            credential: credential,
            owner: owner,
            paths: KnownSpaces.Entry.paths(challenge, self.target.target, self.target.origin)
        )
        return self.spaces.session(for: challenge, of: entry)
    }

    private func answer(
        _ credential: Credential,
        _ scheme: AuthenticationScheme,
        _ space: ProtectionSpace,
        _ session: DigestSession?,
        _ request: Request
    ) async throws -> CredentialAnswer? {
        try await CredentialAnswer.answer(credential, scheme, in: space, session, to: request, self.target)
    }
}
