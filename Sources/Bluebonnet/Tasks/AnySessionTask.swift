// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport

/// A task of a session, with any type of value; ``SessionTask`` is the only implementation.
public protocol AnySessionTask: AnyObject, Sendable {
    /// The task's number: unique in its session, and higher than those of the tasks made before it.
    var id: UInt64 { get }

    /// What the task does.
    var kind: SessionTaskKind { get }

    /// The task's state.
    var state: SessionTaskState { get }

    /// The request that the task was made with.
    var originalRequest: Request { get }

    /// The current request: after interceptors and redirects; the original one before the task has started.
    var currentRequest: Request { get }

    /// The response, once its head has arrived; its body is empty until it has been collected.
    var response: Response? { get }

    /// The metrics of the last exchange, complete once the body of the response has been read; nil without an exchange,
    /// as for a stored response.
    var metrics: ExchangeMetrics? { get }

    /// A text for the program's own use; nil unless set.
    var taskDescription: String? { get set }

    /// The priority of the Swift task that does the work; takes effect when the task is resumed for the first time.
    var priority: TaskPriority? { get set }

    /// The progress of the request's body.
    var uploadProgress: ProgressStream { get }

    /// The progress of the response's body.
    var downloadProgress: ProgressStream { get }

    /// Starts the task, or continues it after ``suspend()``.
    func resume()

    /// Suspends the task; see ``SessionTask/suspend()``.
    func suspend()

    /// Cancels the task; see ``SessionTask/cancel()``.
    func cancel()
}

/// What a task does.
public enum SessionTaskKind: String, Sendable, Hashable {
    /// Converts a response into a value.
    case data
    /// Sends a large body.
    case upload
    /// Writes a response into a file.
    case download
}

/// The state of a task.
public enum SessionTaskState: String, Sendable, Hashable {
    /// Not started yet, or suspended.
    case suspended
    /// Under way.
    case running
    /// Cancelled, and about to be ``completed``.
    case cancelling
    /// Ended: the value or the error is available.
    case completed
}
