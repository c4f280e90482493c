// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What is counted for one nonce of a server: every request under it gets a number of its own (RFC 7616 section 3.4, `nc`).
package final class DigestSession: Sendable {
    /// What a request needs besides user name and password.
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

    /// One for the whole session: `-sess` makes its key from it.
    package let clientNonce: String

    private let state: Mutex<State>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - challenge: The challenge that begins it.
    ///   - clientNonce: What the client adds, so that a server cannot choose the text that is hashed: 128 random bits unless given.
    ///   - count: The requests that were sent under the nonce before.
    package init(_ challenge: DigestChallenge, clientNonce: String? = nil, count: UInt32 = 0) {
        var generator = SystemRandomNumberGenerator()
        self.challenge = challenge
        self.clientNonce =
            clientNonce
            ?? Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        self.state = Mutex(State(nonce: challenge.nonce, count: count))
    }

    /// The session that answers a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - session: The session before it, of the same realm.
    /// - Returns: The session before, if its answers are made alike under the same nonce; else a new one, which counts on where the nonce is
    ///   the same: a number that comes twice would look like a replay.
    package static func answering(_ challenge: DigestChallenge, after session: DigestSession?) -> DigestSession {
        guard let session else { return DigestSession(challenge) }
        let state = session.state.withLock { $0 }
        guard state.nonce.utf8.elementsEqual(challenge.nonce.utf8) else { return DigestSession(challenge) }
        return session.challenge.isSame(as: challenge) ? session : DigestSession(challenge, count: state.count)
    }

    /// The nonce of the next request.
    package var nonce: String { self.state.withLock { $0.nonce } }

    /// Counts a request.
    package func makeTicket() -> Ticket {
        let (nonce, count) = self.state.withLock { state in
            // Eight digits; a server that lives to see them all has long changed its nonce.
            state.count &+= 1
            return (state.nonce, state.count)
        }
        return Ticket(nonce: nonce, count: count, clientNonce: self.clientNonce)
    }

    /// Goes on with the nonce that the server wants next (RFC 7616 section 3.5, `nextnonce`).
    package func advance(to nonce: String, after ticket: Ticket) {
        self.state.withLock { state in
            // A response to an earlier nonce may come late.
            guard state.nonce.utf8.elementsEqual(ticket.nonce.utf8), !nonce.utf8.elementsEqual(ticket.nonce.utf8)
            else { return }
            state = State(nonce: nonce)
        }
    }
}

extension DigestChallenge {
    /// Whether both have the same nonce, and their answers are made alike.
    fileprivate func isSame(as other: Self) -> Bool {
        self.nonce.utf8.elementsEqual(other.nonce.utf8) && self.realm.utf8.elementsEqual(other.realm.utf8)
            && self.algorithm == other.algorithm && self.quality == other.quality
            && self.opaque.map { Array($0.utf8) } == other.opaque.map { Array($0.utf8) }
            && self.hashesUser == other.hashesUser
    }
}
