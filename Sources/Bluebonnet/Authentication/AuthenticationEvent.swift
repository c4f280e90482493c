// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport

/// An event of a call's authentication; see ``CallEvent/authentication(_:)``.
///
/// No event holds a credential, a token, a nonce or a header field. Realms come from the server.
///
/// ```text
/// refreshStarted, or refreshJoined           only where the call waits for a token, before an exchange
///   …                                        the calls of the refresh are calls of their own
/// refreshEnded, or refreshFailed
/// challengeAnswered, or tokenReplaced        after responseReceived; another exchange comes
/// proxyChallengeAnswered                     the same, for a proxy that forwards requests
/// challengeRefused                           after responseReceived: nothing more is tried
/// ```
///
/// The challenges of a proxy before it opens a tunnel are events of the transport, `TransportEvent.tunnelChallenged`.
/// Cases may be added in any version: a `switch` needs a `default`.
public enum AuthenticationEvent: Sendable, Hashable {
    /// A server has challenged the request, which is sent once more with a credential of this scheme.
    case challengeAnswered(AuthenticationScheme, ProtectionSpace)
    /// A server has challenged the request, which is not sent again; its response is delivered, or the call fails.
    case challengeRefused(ChallengeRefusal, Origin)
    /// A server has refused the token, and the request is sent once more with another one; see ``TokenSource``.
    case tokenReplaced(Origin)
    /// A proxy that forwards requests has challenged the request, which is sent once more with the credentials of the proxy.
    case proxyChallengeAnswered(AuthenticationScheme, Proxy)
    /// The call needs a token and begins a refresh, which it waits for.
    case refreshStarted
    /// The call needs a token and waits for a refresh that another call began.
    case refreshJoined
    /// The refresh that the call waited for has returned a token.
    case refreshEnded
    /// The refresh that the call waited for has failed.
    case refreshFailed(SessionError.Code, reason: String)
}

/// Why a challenge is not answered.
///
/// Cases may be added in any version.
public enum ChallengeRefusal: String, Sendable, Hashable, Codable {
    /// There is no credential for any of the challenges.
    case noCredential
    /// The server has refused every available credential.
    case credentialRefused
    /// The server has challenged the same request too often, for example with a nonce that is always stale.
    case tooManyChallenges
    /// The body of the request can be read only once.
    case bodyIsGone
    /// The program's handler has cancelled, or has thrown an error.
    case cancelled
}
