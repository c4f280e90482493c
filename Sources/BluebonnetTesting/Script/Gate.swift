// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds responses until the test opens it; see ``SocketEffect/hold(_:until:)`` and ``wait()``.
///
/// It replaces a pause of guessed length: the response continues when the test has observed what it was waiting for.
/// One gate may hold any number of responses; once open, it stays open.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether it has been opened.
    public var isOpen: Bool { self.state.withLock { $0.isOpen } }

    /// Releases the held responses, and all later ones; opening it again has no effect.
    public func open() {
        let waiting = self.state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for action in waiting { action() }
    }

    /// Waits until it is open, for example in a handler; returns at once if it is.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func wait() async throws {
        let (opened, opening) = AsyncStream.makeStream(of: Never.self)
        self.whenOpen { opening.finish() }
        for await _ in opened {}
        try Task.checkCancellation()
    }

    /// Runs an action once the gate is open: at once if it is, otherwise from the task that opens it.
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
