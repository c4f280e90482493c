// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps responses back until the test says go; see ``SocketEffect/hold(_:until:)``.
///
/// It takes the place of a pause of guessed length: the response goes on when what the test wanted to see has happened. One gate may hold any
/// number of responses; once open it stays open.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether it was opened.
    public var isOpen: Bool { self.state.withLock { $0.isOpen } }

    /// Releases the responses that wait, and all later ones; opening it again does nothing.
    public func open() {
        let waiting = self.state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for action in waiting { action() }
    }

    /// Runs an action once the gate is open: at once if it is, else from the task that opens it.
    func whenOpen(_ action: @escaping @Sendable () -> Void) {
        let isOpen = self.state.withLock { state in
            if !state.isOpen { state.waiting.append(action) }
            return state.isOpen
        }
        if isOpen { action() }
    }
}

extension Gate: Hashable {
    /// Whether both are the same gate.
    public static func == (left: Gate, right: Gate) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
