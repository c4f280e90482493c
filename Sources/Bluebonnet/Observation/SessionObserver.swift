// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Observes the calls of a session, without being able to change anything.
///
/// The session calls `observe(_:of:)` from the task that makes a call and, for events of the transport, from event
/// loops: an observer must be fast and must not block. The events of one exchange are sequential; those of different
/// calls are concurrent.
///
/// A session without observers creates no events.
public protocol SessionObserver: Sendable {
    /// Handles an event of a call.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - call: The call it belongs to.
    func observe(_ event: CallEvent, of call: Call)

    /// Handles an event of a task; does nothing by default.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - task: The task.
    func observe(_ event: TaskEvent, of task: any AnySessionTask)

    /// Handles an event of a session; does nothing by default.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - session: The session.
    func observe(_ event: SessionEvent, of session: Session)
}

extension SessionObserver {
    /// Does nothing.
    public func observe(_ event: TaskEvent, of task: any AnySessionTask) {}

    /// Does nothing.
    public func observe(_ event: SessionEvent, of session: Session) {}
}
