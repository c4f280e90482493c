// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

/// An event in the life of a task; see ``SessionObserver``.
///
/// ```text
/// resumed, suspended                       as often as it happens
/// fileSaved, or fileNotSaved               only where a response became a file, or could not become one
/// completed                                always, once: after the completion functions, where they run
/// ```
///
/// The events of a task are told in their order. Where several threads resume and suspend a task at the same time, their events may change places.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum TaskEvent: Sendable {
    /// The task has begun, or goes on after it was suspended; told only when its state has changed.
    case resumed
    /// The task was suspended; told only when its state has changed.
    case suspended
    /// The file of a download is in its place.
    case fileSaved(URL)
    /// The file of a download could not be written, or not be put into its place.
    case fileNotSaved(SessionError)
    /// The task is over, and its completion functions have run.
    case completed(TaskCompletion)
}

/// How a task has ended.
public struct TaskCompletion: Sendable {
    /// The value; nil where there is an error.
    public var value: (any Sendable)?

    /// A ``SessionError`` or `CancellationError`; nil where there is a value.
    public var error: (any Error)?

    /// What turned the response into the value; nil for a download.
    public var serializer: (any ResponseSerializer)?

    /// The file that the response has become; nil where it has become a value.
    public var file: DownloadedFile? {
        (self.value as? any FileDelivery)?.deliveredFile
    }
}

/// An event in the life of a session; see ``SessionObserver``.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum SessionLifeEvent: Sendable {
    /// The session was invalidated or shut down, its last call is over, and so are the completion functions of its last task; told once.
    case invalidated
}
