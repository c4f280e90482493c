// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Synchronization

/// Counts the requests under one nonce of a server: each request gets its own number (RFC 7616 section 3.4, `nc`).
package final class DigestSession: Sendable {
    /// What the credentials of a request need besides user name and password.
    package struct Ticket: Sendable {
        package var nonce: String
        package var count: UInt32
        package var clientNonce: String
    }

    private struct State {
        var nonce: String
        var count: UInt32 = 0
    }

    package let challenge: DigestChallenge

    /// One value for the whole session: `-sess` derives its key from it.
    package let clientNonce: String

    private let state: Mutex<State>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - challenge: The challenge that starts the session.
    ///   - clientNonce: The cnonce, which prevents a server from choosing the hashed text: 128 random bits unless
    ///     given.
    ///   - count: The number of requests already sent under the nonce.
    package init(_ challenge: DigestChallenge, clientNonce: String? = nil, count: UInt32 = 0) {
        var generator = SystemRandomNumberGenerator()
        self.challenge = challenge
        self.clientNonce =
            clientNonce
            ?? Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        self.state = Mutex(State(nonce: challenge.nonce, count: count))
    }

    /// Returns the session that answers a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - session: The previous session of the same realm.
    /// - Returns: The previous session if nonce and answer parameters are the same; otherwise a new one. If only the
    ///   nonce is the same, the new session continues its count: a repeated number would look like a replay.
    package static func answering(_ challenge: DigestChallenge, after session: DigestSession?) -> DigestSession {
        guard let session else { return DigestSession(challenge) }
        let state = session.state.withLock { $0 }
        guard state.nonce.utf8.elementsEqual(challenge.nonce.utf8) else { return DigestSession(challenge) }
        return session.challenge.isSame(as: challenge) ? session : DigestSession(challenge, count: state.count)
    }

    /// The nonce of the next request.
    package var nonce: String { self.state.withLock { $0.nonce } }

    /// Counts a request and returns its ticket.
    package func makeTicket() -> Ticket {
        let (nonce, count) = self.state.withLock { state in
            // Eight digits; a server replaces its nonce long before they are exhausted.
            state.count &+= 1
            return (state.nonce, state.count)
        }
        return Ticket(nonce: nonce, count: count, clientNonce: self.clientNonce)
    }

    /// Switches to the nonce that the server sent as `nextnonce` (RFC 7616 section 3.5).
    package func advance(to nonce: String, after ticket: Ticket) {
        self.state.withLock { state in
            // A response to a request under an earlier nonce may arrive late.
            guard state.nonce.utf8.elementsEqual(ticket.nonce.utf8), !nonce.utf8.elementsEqual(ticket.nonce.utf8)
            else { return }
            state = State(nonce: nonce)
        }
    }
}

extension DigestChallenge {
    /// Whether both challenges have the same nonce and the same answer parameters.
    fileprivate func isSame(as other: Self) -> Bool {
        self.nonce.utf8.elementsEqual(other.nonce.utf8) && self.realm.utf8.elementsEqual(other.realm.utf8)
            && self.algorithm == other.algorithm && self.quality == other.quality
            && self.opaque.map { Array($0.utf8) } == other.opaque.map { Array($0.utf8) }
            && self.hashesUser == other.hashesUser
    }
}
