// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A challenge that can be answered.
package struct ChallengeCandidate {
    package var challenge: HTTPChallenge
    package var digest: DigestChallenge?

    /// Sorts challenges by strength, strongest first; challenges of equal strength keep the server's order of
    /// preference (RFC 7616 section 3.7).
    package static func candidates(_ challenges: [HTTPChallenge]) -> [ChallengeCandidate] {
        challenges.compactMap { challenge -> ChallengeCandidate? in
            switch challenge.scheme {
            case .digest: DigestChallenge(challenge).map { ChallengeCandidate(challenge: challenge, digest: $0) }
            case .basic, .bearer: ChallengeCandidate(challenge: challenge)
            default: nil
            }
        }
        .enumerated()
        .sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }
        .map(\.element)
    }

    private var strength: Int {
        if let digest { return 2 + digest.algorithm.hash.rawValue }
        return self.challenge.scheme == .bearer ? 1 : 0
    }
}
