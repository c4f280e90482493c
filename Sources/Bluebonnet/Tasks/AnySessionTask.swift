// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport

/// A task of a session, whatever its value; ``SessionTask`` is the one implementation.
public protocol AnySessionTask: AnyObject, Sendable {
    /// The task's number: unique in its session, and higher than those of the tasks made before it.
    var id: UInt64 { get }

    /// What the task does.
    var kind: SessionTaskKind { get }

    /// The task's state.
    var state: SessionTaskState { get }

    /// The request the task was made with.
    var originalRequest: Request { get }

    /// The request that is under way: after interceptors and redirects; the original one before the task has started.
    var currentRequest: Request { get }

    /// The response, once its head has arrived; its body is empty until it was collected.
    var response: Response? { get }

    /// The measurements of the last exchange; complete once the body of the response has been read.
    var metrics: ExchangeMetrics? { get }

    /// A text that belongs to the program; nil unless it sets one.
    var taskDescription: String? { get set }

    /// The priority of the Swift task that carries the work out; takes effect when the task is resumed for the first time.
    var priority: TaskPriority? { get set }

    /// The bytes of the request's body.
    var uploadProgress: ProgressStream { get }

    /// The bytes of the response's body.
    var downloadProgress: ProgressStream { get }

    /// Starts the task, or lets it continue after ``suspend()``.
    func resume()

    /// Suspends the task; see ``SessionTask/suspend()``.
    func suspend()

    /// Cancels the task; see ``SessionTask/cancel()``.
    func cancel()
}

/// What a task does.
public enum SessionTaskKind: String, Sendable, Hashable {
    /// Turns a response into a value.
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
    /// Over: the value or the error is there.
    case completed
}
