// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A task that turns a response into a value.
public typealias DataTask<Output: Sendable> = SessionTask<Output>

/// A task that sends a large body; watch ``SessionTask/uploadProgress``.
public typealias UploadTask<Output: Sendable> = SessionTask<Output>

/// A task that writes a response into a file; watch ``SessionTask/downloadProgress``.
public typealias DownloadTask = SessionTask<DownloadedFile>

/// Where a ``SessionTask`` is in its life.
public enum SessionTaskState: String, Sendable, Hashable {
    /// Not started yet, or held back.
    case suspended
    /// Under way.
    case running
    /// Cancelled, and on its way to ``completed``.
    case cancelling
    /// Over: the value or the error is there.
    case completed
}

/// A handle on one request: to start it later, hold it back, watch it, or cancel it from elsewhere.
///
/// Where none of that is needed, the `async` functions of ``HTTPSession`` and ``Session`` are simpler and faster; they are cancelled with
/// the Swift task that calls them. A session task starts suspended, and ends only by itself or through ``cancel()``: dropping the
/// handle of a running task lets it run to its end.
///
/// ```swift
/// let task = try api.downloadTask("image.iso", to: destination)
/// task.resume()
/// for await progress in task.downloadProgress { print(progress.completed) }
/// let file = try await task.value
/// ```
public final class SessionTask<Output: Sendable>: Sendable {
    typealias Operation = @Sendable (TransferMonitor, SuspensionGate) async throws -> Output

    /// The task's number: unique in its session, and higher than those of the tasks made before it.
    public let id: UInt64

    private let monitor = TransferMonitor()
    private let gate = SuspensionGate()
    private let registry: TaskRegistry
    private let operation: Operation
    private let machine = Mutex(SessionTaskStateMachine<Output>())

    init(_ registry: TaskRegistry, operation: @escaping Operation) {
        self.id = registry.makeID()
        self.registry = registry
        self.operation = operation
    }

    /// Where the task is in its life.
    public var state: SessionTaskState { self.machine.withLock { $0.publicState } }

    /// The bytes of the request's body.
    public var uploadProgress: ProgressStream { self.monitor.upload }

    /// The bytes of the response's body.
    public var downloadProgress: ProgressStream { self.monitor.download }

    /// Waits until the task is completed.
    ///
    /// A task that was never resumed is waited for, too. Cancelling the waiting Swift task ends the wait and not the session task.
    ///
    /// - Throws: ``SessionError``; `CancellationError` when this task or the waiting one was cancelled.
    public var value: Output {
        get async throws {
            let id = self.machine.withLock { $0.makeWaiterID() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // Asked inside the lock: a cancellation after it finds the waiter.
                    let result = self.machine.withLock { machine -> Result<Output, any Error>? in
                        if let outcome = machine.outcome { return outcome }
                        return Task.isCancelled ? .failure(CancellationError()) : machine.wait(id, continuation)
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                self.machine.withLock { $0.stopWaiting(id) }?.resume(throwing: CancellationError())
            }
        }
    }

    /// Starts the task, or lets it go on after ``suspend()``.
    public func resume() {
        switch self.machine.withLock({ $0.resume() }) {
        case .start: self.start()
        case .goOn(let revision): self.gate.set(isClosed: false, revision)
        case nil: break
        }
    }

    /// Holds the task back.
    ///
    /// A task that has not started does not start. One that runs stops to take bytes of the response's body, and after some buffers the peer
    /// stops to send; a request that is being sent is sent to its end. The limit of the whole exchange goes on counting, the limit
    /// of silence does not.
    public func suspend() {
        if let revision = self.machine.withLock({ $0.suspend() }) { self.gate.set(isClosed: true, revision) }
    }

    /// Ends the task, which closes its connection or, on HTTP/2, ends its stream; a value that is there already stays.
    public func cancel() {
        switch self.machine.withLock({ $0.cancel() }) {
        case .cancel(let task): task.cancel()
        case .complete(let completion):
            self.monitor.finish()
            completion.deliver()
        case nil: break
        }
    }

    /// Calls a function when the task is completed, or at once if it is already.
    ///
    /// - Parameter body: Called once, on no particular thread, with the value or with what ``value`` throws. It should return quickly.
    public func onCompletion(_ body: @escaping @Sendable (Result<Output, any Error>) -> Void) {
        if let result = self.machine.withLock({ $0.notify(body) }) { body(result) }
    }

    private func start() {
        self.registry.add(self.id) { [weak self] in self?.cancel() }
        // The handle owns this task: `cancel()` cancels it, the end of the session does too, and it ends with the operation.
        let task = Task { await self.run() }
        if self.machine.withLock({ $0.started(task) }) { task.cancel() }
    }

    private func run() async {
        let result: Result<Output, any Error>
        do {
            try await self.gate.pass()
            result = .success(try await self.operation(self.monitor, self.gate))
        } catch {
            result = .failure(error)
        }
        self.registry.remove(self.id)
        self.monitor.finish()
        self.machine.withLock { $0.complete(result) }?.deliver()
    }
}
