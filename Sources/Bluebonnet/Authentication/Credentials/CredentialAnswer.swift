// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// The field value that answers a challenge, and the space that it is for.
struct CredentialAnswer: Sendable {
    /// Identifies an answer, so that the same one is not sent again.
    struct Identity: Hashable {
        var scheme: AuthenticationScheme
        var credential: Credential
        /// Basic and Bearer send the same whatever the realm is.
        var realm: String?
    }

    var space: ProtectionSpace
    var scheme: AuthenticationScheme
    var credential: Credential

    /// The value of the field.
    var field: String

    /// Used to check the server's own proof, and to make the next answer.
    var digest: (session: DigestSession, answer: DigestAnswer, subject: DigestAnswer.Subject)?

    /// Whether it is sent before this exchange was challenged.
    var isPreemptive = false

    var identity: Identity {
        Identity(
            scheme: self.scheme,
            credential: self.credential,
            realm: self.digest == nil ? nil : self.space.realm
        )
    }

    /// The answer of one scheme to a request; nil if the credential is of another kind.
    ///
    /// - Throws: `SessionError` with `authenticationFailed` if the scheme cannot send the credential; the errors of the
    ///   request's body, which is read for `auth-int`.
    static func answer(
        _ credential: Credential,
        _ scheme: AuthenticationScheme,
        in space: ProtectionSpace,
        _ session: DigestSession?,
        to request: Request,
        _ target: RequestTarget
    ) async throws -> CredentialAnswer? {
        switch (scheme, session) {
        case (.basic, _): return try self.basic(credential, in: space)
        case (.bearer, _): return try self.bearer(credential, in: space)
        case (_, let session?):
            var subject = DigestAnswer.Subject(method: request.method.rawValue, target: target.target)
            if session.challenge.quality == .integrity, request.body.isReplayable {
                subject.bodyDigest = try await request.body.digest(session.challenge.algorithm.hash)
            }
            return try self.digest(credential, session, in: space, subject)
        default: return nil
        }
    }

    /// Basic (RFC 7617), in UTF-8 whether or not the challenge has a `charset`.
    ///
    /// - Throws: `SessionError` with `authenticationFailed` if the credentials hold what Basic cannot send.
    static func basic(_ credential: Credential, in space: ProtectionSpace) throws(SessionError) -> CredentialAnswer? {
        guard case .password(let user, let password) = credential.kind else { return nil }
        // RFC 7617 section 2: the first colon ends the user name; control characters are not allowed.
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw .authentication("a user name with a colon cannot be sent with Basic authentication")
        }
        guard user.utf8.isPlainText, password.utf8.isPlainText else {
            throw .authentication("the user name or the password holds a control character")
        }
        let text = Data("\(user):\(password)".utf8).base64EncodedString()
        return CredentialAnswer(space: space, scheme: .basic, credential: credential, field: "Basic \(text)")
    }

    /// Bearer (RFC 6750 section 2.1).
    static func bearer(_ credential: Credential, in space: ProtectionSpace) throws(SessionError) -> CredentialAnswer? {
        guard case .bearer(let token) = credential.kind else { return nil }
        guard token.isBearerToken else {
            throw .authentication("the token is empty, or holds a space or another character that no token can have")
        }
        return CredentialAnswer(space: space, scheme: .bearer, credential: credential, field: "Bearer \(token)")
    }

    /// Digest (RFC 7616).
    static func digest(
        _ credential: Credential,
        _ session: DigestSession,
        in space: ProtectionSpace,
        _ subject: DigestAnswer.Subject
    ) throws(SessionError) -> CredentialAnswer? {
        guard case .password(let user, let password) = credential.kind else { return nil }
        // A quoted string cannot hold them (RFC 9110 section 5.6.4).
        guard user.utf8.isPlainText else { throw .authentication("the user name holds a control character") }
        let answer = DigestAnswer(session, user: user, password: password, subject)
        return CredentialAnswer(
            space: space,
            scheme: .digest,
            credential: credential,
            field: answer.field,
            digest: (session, answer, subject)
        )
    }

    /// The answer for the same request sent again, with its own number under the nonce; nil if it is not Digest.
    ///
    /// - Parameter method: The method that it is sent with.
    /// - Returns: The answer.
    func renewed(for method: HTTPRequest.Method) -> CredentialAnswer? {
        guard let (session, _, first) = self.digest, case .password(let user, let password) = self.credential.kind
        else { return nil }
        var subject = first
        subject.method = method.rawValue
        let next = DigestAnswer(session, user: user, password: password, subject)
        var answer = self
        answer.field = next.field
        answer.digest = (session, next, subject)
        return answer
    }
}

extension Request {
    /// Adds an answer to a challenge.
    mutating func authorize(with answer: CredentialAnswer) {
        self.headers[.authorization] = answer.field
        if let user = DigestUser(answer) { self.context[DigestUser.self] = user }
        // The server's proof covers the body itself, not a compressed form of it.
        if answer.digest?.session.challenge.quality == .integrity { self.headers[.acceptEncoding] = "identity" }
        if !answer.isPreemptive { self.bypassStored(.unauthorized) }
    }
}

extension String.UTF8View {
    fileprivate var isPlainText: Bool { self.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}

extension SessionError {
    /// Why there were no credentials to send: the error of a token's refresh, or of a store; nil for any other error.
    var credentialFailure: (any Error)? { self.code == .authenticationFailed ? self.underlying : nil }

    static func authentication(
        _ reason: String,
        underlying: (any Error)? = nil,
        _ response: StreamedResponse? = nil
    ) -> SessionError {
        SessionError(
            .authenticationFailed,
            reason: reason,
            underlying: underlying,
            request: response?.request,
            response: response?.response(body: Data()),
            isRequestSent: response != nil
        )
    }

    /// The same error with the response that it was thrown for: the request of that response has been sent.
    func following(_ response: StreamedResponse) -> SessionError {
        var error = self
        error.request = FailedRequest(response.request)
        error.response = self.response ?? response.response(body: Data())
        error.isRequestSent = true
        return error
    }
}
