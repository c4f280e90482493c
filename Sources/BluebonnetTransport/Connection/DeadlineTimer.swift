// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A timer that is re-armed only for an earlier deadline; for a later one it fires, finds nothing due and is armed
/// again.
struct DeadlineTimer {
    private var task: EngineTimer?
    private var deadline: NIODeadline?

    mutating func arm(
        _ deadline: NIODeadline,
        _ clock: EngineClock,
        on eventLoop: any EventLoop,
        _ action: @escaping @Sendable () -> Void
    ) {
        if let armed = self.deadline, armed <= deadline { return }
        self.task?.cancel()
        self.deadline = deadline
        self.task = clock.schedule(at: deadline, on: eventLoop, action)
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
}
