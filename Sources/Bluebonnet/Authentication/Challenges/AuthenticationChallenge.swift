// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// A server's authentication challenge, for the program to decide about.
public struct AuthenticationChallenge: Sendable {
    /// Decides about a challenge.
    ///
    /// It is called once for each challenge that the client can answer, the strongest first. It may wait, for example
    /// for a person: it runs in a task of its own, which is cancelled at the call's deadline and when the call is
    /// cancelled. The call ends then even if the handler goes on, and its decision is dropped. An error that it throws
    /// ends the call with ``SessionError/Code/authenticationCancelled``, with the error in ``SessionError/underlying``.
    public typealias Handler = @Sendable (AuthenticationChallenge) async throws -> Decision

    /// How to answer a challenge: an open set, so that adding a decision is not a breaking change.
    public struct Decision: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case use(Credential)
            case performDefaultHandling
            case cancel
            case rejectProtectionSpace
        }

        let kind: Kind

        /// Sends a credential.
        ///
        /// - Parameter credential: The credential, of the kind that the method of the challenge takes.
        /// - Returns: The decision.
        public static func use(_ credential: Credential) -> Decision { Decision(kind: .use(credential)) }

        /// Proceeds as if there were no handler.
        public static let performDefaultHandling = Decision(kind: .performDefaultHandling)

        /// Ends the call with ``SessionError/Code/authenticationCancelled``.
        public static let cancel = Decision(kind: .cancel)

        /// Skips to the next challenge of the same response; after the last one the response is delivered.
        public static let rejectProtectionSpace = Decision(kind: .rejectProtectionSpace)
    }

    /// The authentication scheme that the server asks for.
    public let scheme: AuthenticationScheme

    /// The origin and the realm of the challenge.
    public let space: ProtectionSpace

    /// The challenge as it was sent.
    public let challenge: HTTPChallenge

    /// How many credentials the server has refused for this exchange so far.
    public let previousFailureCount: Int

    /// The request that was challenged.
    public let request: Request

    /// The response that brought the challenge, without its body.
    public let response: Response
}
