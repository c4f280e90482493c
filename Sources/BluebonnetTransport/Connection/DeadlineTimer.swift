// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A timer that is re-armed only for an earlier deadline; for a later one it fires, finds nothing due and is armed
/// again.
struct DeadlineTimer {
    private var task: EngineTimer?
    private var deadline: NIODeadline?

    /// Makes sure that the timer fires at the deadline or earlier.
    mutating func arm<Owner>(
        _ deadline: NIODeadline,
        _ clock: EngineClock,
        on eventLoop: any EventLoop,
        of owner: Owner,
        _ action: @escaping @Sendable (Owner) -> Void
    ) {
        if let armed = self.deadline, armed <= deadline { return }
        self.task?.cancel()
        self.deadline = deadline
        let bound = NIOLoopBound(owner, eventLoop: eventLoop)
        self.task = clock.schedule(at: deadline, on: eventLoop) { action(bound.value) }
    }

    mutating func didFire() {
        self.task = nil
        self.deadline = nil
    }

    mutating func cancel() {
        self.task?.cancel()
        self.didFire()
    }
}

extension TransportError {
    /// A phase exceeded its time limit.
    static func late(_ phase: Phase, _ reason: String) -> TransportError {
        TransportError(.timedOut, phase: phase, reason: reason, isRequestSent: true)
    }

    /// The exchange exceeded its total limit while it was in a phase.
    static func lateInAll(_ phase: Phase, isRequestSent: Bool) -> TransportError {
        var error = TransportError(
            .timedOut,
            phase: .total,
            reason: "the exchange took longer than its limit in all; \(phase.clause)",
            isRequestSent: isRequestSent
        )
        error.phaseUnderWay = phase
        return error
    }
}

extension ExchangePhase {
    /// What an exchange in this phase is waiting for, for an error.
    package var clause: String {
        switch self {
        case .queue: "it was waiting for a connection, see pool.maximumConnectionsPerOrigin"
        case .resolve: "the name of the host was being resolved"
        case .connect: "a connection was being made"
        case .tlsHandshake: "the TLS handshake was under way"
        case .requestBody: "the request was being sent"
        case .responseHead: "the server had not responded"
        case .responseBody: "the body of the response had not ended"
        case .total: "it was under way"
        }
    }
}
