// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

/// An event in the life of a task; see ``SessionObserver``.
///
/// ```text
/// resumed, suspended                       as often as it happens
/// fileSaved, or fileNotSaved               only where a response became a file, or could not become one
/// completed                                once: after the completion functions, where they run
/// ```
///
/// Each task is told to be completed, with one exception: nothing can be told of a task that is released before it was
/// resumed or cancelled, because it no longer exists. Its completion functions run, with `CancellationError`.
///
/// The events of a task come in their order. If several threads resume and suspend a task at the same time, their
/// events may be reordered.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum TaskEvent: Sendable {
    /// The task has begun, or continues after it was suspended; sent only when its state has changed.
    case resumed
    /// The task was suspended; sent only when its state has changed.
    case suspended
    /// The file of a download is at its destination.
    case fileSaved(URL)
    /// The file of a download could not be written, or not be moved to its destination.
    case fileNotSaved(SessionError)
    /// The task has ended, and its completion functions have run.
    case completed(TaskCompletion)
}

/// The result of a task.
public struct TaskCompletion: Sendable {
    /// The value; nil if there is an error.
    public var value: (any Sendable)?

    /// A ``SessionError`` or `CancellationError`; nil if there is a value.
    public var error: (any Error)?

    /// The serializer that made the value from the response; nil for a download.
    public var serializer: (any ResponseSerializer)?

    /// The file that the response became; nil if it became a value.
    public var file: DownloadedFile? {
        (self.value as? any FileDelivery)?.deliveredFile
    }
}

/// An event in the life of a session; see ``SessionObserver``.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum SessionEvent: Sendable {
    /// The session was invalidated or shut down, and its last call and the completion functions of its last task have
    /// ended; sent once.
    case invalidated
}
