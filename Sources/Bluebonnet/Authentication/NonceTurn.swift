// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The turn of a call to get a Digest nonce of its own.
///
/// A server may take each nonce once, and keep the nonces of few clients. The calls of a session then use up each
/// other's nonces. A call whose answers were refused twice for their nonce alone is due: it waits for its turn in the
/// protection space, sends its request without an answer, and shares the nonce of the challenge with no other call. A
/// nonce that has only expired is replaced by the first challenge.
struct NonceTurn {
    /// Whether a call that waits for the code of this task has its turn: such code must not wait for another one.
    @TaskLocal private static var isInside = false

    private var staleCount = 0
    private var space: ProtectionSpace?
    private var place: Admission?
    /// Whether the turn has come, so that the call shares no nonce from now on.
    private(set) var hasCome = false

    var isDue: Bool { self.staleCount > 1 && !self.hasCome }

    /// Records that an answer was refused for its nonce alone.
    mutating func noteStale(in space: ProtectionSpace) {
        self.staleCount += 1
        self.space = space
    }

    /// Waits for the turn; ``end()`` has to follow.
    ///
    /// - Throws: `SessionError` with `timedOut` at the call's deadline or with `shutDown`; `CancellationError` when the
    ///   task is cancelled.
    mutating func take(_ spaces: KnownSpaces, _ call: Call) async throws {
        if let space, !Self.isInside {
            let place = spaces.place(in: space)
            if try place.enter(isNested: false, isUnderWay: true) == .full {
                let before = call.activity
                call.activity = .nonce
                try await call.bounded {
                    try await call.pause { try await place.wait(until: nil, clock: call.clock) }
                }
                call.activity = before
            }
            self.place = place
        }
        self.hasCome = true
    }

    /// Ends the turn, if it has come.
    mutating func end() {
        self.place.take()?.leave()
    }

    /// Sends a request of the call.
    func send(_ request: Request, _ next: Chain) async throws -> StreamedResponse {
        guard self.place != nil else { return try await next(request) }
        return try await Self.$isInside.withValue(true) { try await next(request) }
    }
}
