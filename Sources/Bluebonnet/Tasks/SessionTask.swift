// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
import Synchronization

/// A task that converts a response into a value.
public typealias DataTask<Output: Sendable> = SessionTask<Output>

/// A task that sends a large body; see ``SessionTask/uploadProgress``.
public typealias UploadTask<Output: Sendable> = SessionTask<Output>

/// A task that writes a response into a file; see ``SessionTask/downloadProgress``.
public typealias DownloadTask = SessionTask<DownloadedFile>

/// A handle on one call, to start it later, suspend it, observe it, or cancel it from elsewhere.
///
/// If none of that is needed, the `async` functions of ``HTTPSession`` and ``Session`` are simpler and faster; they are
/// cancelled with the Swift task that calls them. A session task starts suspended. It ends by itself, through
/// ``cancel()`` or with its session; a running task continues to its end when its handle is released.
///
/// A task that was resumed and then suspended is under way, too: without its handle nothing can resume it, and it keeps its
/// session and its connection until the total limit of the call. Resume it or cancel it before releasing the handle, or
/// shut the session down.
///
/// ```swift
/// let task = try api.prepare(.get, "image.iso").downloadTask(to: destination)
/// task.resume()
/// for await progress in task.downloadProgress { print(progress.completed) }
/// let file = try await task.value
/// ```
public final class SessionTask<Output: Sendable>: AnySessionTask {
    typealias Operation = @Sendable (CallHandling) async throws -> Output

    private struct Labels {
        var taskDescription: String?
        var priority: TaskPriority?
    }

    public let id: UInt64

    public let kind: SessionTaskKind

    public let originalRequest: Request

    private let monitor: TransferMonitor
    private let gate = SuspensionGate()
    let record: TaskRecord
    private let registry: TaskRegistry
    private let admission: Admission
    private let completion: CompletionContext
    private let operation: Operation
    private let serializer: (any ResponseSerializer)?
    private let observers: [any SessionObserver]
    private let machine = Mutex(SessionTaskStateMachine<Output>())
    private let labels = Mutex(Labels())

    init(
        _ kind: SessionTaskKind,
        _ request: Request,
        of session: Session,
        serializer: (any ResponseSerializer)? = nil,
        monitor: TransferMonitor? = nil,
        operation: @escaping Operation
    ) {
        self.id = session.registry.makeID()
        self.kind = kind
        self.originalRequest = request
        self.monitor = monitor ?? TransferMonitor()
        self.record = TaskRecord(request)
        self.registry = session.registry
        self.admission = session.admission
        self.completion = session.configuration.completion
        self.operation = operation
        self.serializer = serializer
        self.observers = session.configuration.observers
        if !session.registry.add(self) { self.refuse() }
    }

    deinit {
        self.registry.remove(self.id)
        // Released before it was resumed: its completion functions and the readers of its progress learn that it has
        // ended. Observers do not, since they could keep the task that they are passed.
        guard case .complete(let completion) = self.machine.withLock({ $0.cancel() }) else { return }
        self.monitor.finish()
        self.completion.run(
            completion.callbacks.map { callback in { callback(completion.outcome) } },
            hasEntered: false
        )
    }

    public var state: SessionTaskState { self.machine.withLock { $0.publicState } }

    public var currentRequest: Request { self.record.request }

    public var response: Response? { self.record.response }

    public var metrics: ExchangeMetrics? { self.record.metrics }

    public var taskDescription: String? {
        get { self.labels.withLock { $0.taskDescription } }
        set { self.labels.withLock { $0.taskDescription = newValue } }
    }

    public var priority: TaskPriority? {
        get { self.labels.withLock { $0.priority } }
        set { self.labels.withLock { $0.priority = newValue } }
    }

    public var uploadProgress: ProgressStream { self.monitor.upload }

    public var downloadProgress: ProgressStream { self.monitor.download }

    /// Waits until the task is completed.
    ///
    /// It also waits for a task that was never resumed. Cancelling the waiting Swift task ends the wait, not the
    /// session task.
    ///
    /// - Throws: ``SessionError``; `CancellationError` when this task or the waiting one was cancelled.
    public var value: Output {
        get async throws {
            let id = self.machine.withLock { $0.makeWaiterID() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // Checked inside the lock: a later cancellation finds the waiter.
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

    /// Starts the task, or continues it after ``suspend()``; does nothing in any other state.
    public func resume() {
        // Before anybody can see the task running: the end of the session, which may come at any moment, or from an
        // observer, cancels tasks that it does not know to be resumed, and those that are known continue to their end.
        self.registry.started(self.id)
        let isHeld = self.admission.hold(isNested: false, isUnderWay: false)
        let action = self.machine.withLock { $0.resume() }
        if case .start = action {
            self.tell(.resumed)
            return self.start(isHeld: isHeld)
        }
        // It had been started before.
        if isHeld { self.admission.release() }
        self.registry.settled()
        switch action {
        case .proceed(let revision):
            // Before the task continues, and may end.
            self.tell(.resumed)
            self.gate.set(isClosed: false, revision)
        case .start, nil: break
        }
    }

    /// Suspends the task; does nothing in any other state than `running`.
    ///
    /// A task that was not resumed does not start. One that was has to be resumed or cancelled before its handle is
    /// released, see ``SessionTask``.
    ///
    /// A running task begins no further exchange (a retry, the target of a redirect, the answer to a challenge), except
    /// one that an interceptor of the program begins. It reads no further bytes of the response's body, and after some
    /// buffers the server stops sending. A request that is being sent is sent to its end.
    ///
    /// The total limit of the call still applies, and the other timeouts apply to what was under way when the task was
    /// suspended: the exchange up to the head of its response, and the read of the body that had begun. A server that is
    /// silent in it for longer than `Timeouts.idle` fails the task, which is then completed without being resumed. A
    /// server that has sent its bytes is not timed while they wait to be read.
    public func suspend() {
        guard let revision = self.machine.withLock({ $0.suspend() }) else { return }
        self.gate.set(isClosed: true, revision)
        self.tell(.suspended)
    }

    /// Cancels the task, which closes its connection or, on HTTP/2, resets its stream; a complete value is kept.
    public func cancel() {
        // First, so that the session's end is not reported before that of a task which ends here.
        self.registry.started(self.id)
        let action = self.machine.withLock { $0.cancel() }
        if case .complete = action {} else { self.registry.settled() }
        switch action {
        case .cancel(let task): task.cancel()
        case .complete(let completion): self.endUnstarted(completion)
        case nil: break
        }
    }

    /// Ends a task that was made after the end of its session, like a call that is made then.
    private func refuse() {
        let error = SessionError.wrapping(Admission.shutDown, request: self.originalRequest, source: .transport)
        self.registry.started(self.id)
        guard let completion = self.machine.withLock({ $0.complete(.failure(error)) }) else {
            return self.registry.settled()
        }
        self.endUnstarted(completion)
    }

    private func endUnstarted(_ completion: SessionTaskStateMachine<Output>.Completion) {
        self.monitor.finish()
        self.registry.remove(self.id)
        self.deliver(completion, hasStarted: false)
    }

    /// Calls a function when the task has completed, or soon if it has already.
    ///
    /// - Parameter body: Called once, in the context of ``Session/Configuration/completion``, with the value or with
    ///   the error that ``value`` throws. It should return quickly.
    public func onCompletion(_ body: @escaping @Sendable (Result<Output, any Error>) -> Void) {
        guard let result = self.machine.withLock({ $0.notify(body) }) else { return }
        self.completion.run([{ body(result) }], hasEntered: false)
    }

    private func start(isHeld: Bool) {
        self.completion.enter()
        // The handle owns this task: `cancel()` and the end of the session cancel it, and it ends with the operation.
        let task = Task(priority: self.priority) {
            await self.run(isHeld: isHeld)
            if isHeld { self.admission.release() }
        }
        if self.machine.withLock({ $0.started(task) }) { task.cancel() }
    }

    private func run(isHeld: Bool) async {
        let result: Result<Output, any Error>
        do {
            var handling = CallHandling(monitor: self.monitor, gate: self.gate, record: self.record)
            handling.isUnderWay = isHeld
            result = .success(try await self.operation(handling))
        } catch {
            result = .failure(error)
        }
        self.registry.remove(self.id)
        self.monitor.finish()
        if let event = TaskEvent(ofFileIn: result) { self.tell(event) }
        if let completion = self.machine.withLock({ $0.complete(result) }) {
            self.deliver(completion, hasStarted: true)
        }
    }

    private func deliver(_ completion: SessionTaskStateMachine<Output>.Completion, hasStarted: Bool) {
        for waiter in completion.waiters { waiter.resume(with: completion.outcome) }
        var functions: [@Sendable () -> Void] = completion.callbacks.map { callback in { callback(completion.outcome) }
        }
        // Observers learn about the end after the completion functions, in the same context.
        if !self.observers.isEmpty { functions.append { self.tellEnd(completion.outcome) } }
        self.completion.run(functions, hasEntered: hasStarted)
    }

    private func tell(_ event: TaskEvent) {
        for observer in self.observers { observer.observe(event, of: self) }
    }

    private func tellEnd(_ outcome: Result<Output, any Error>) {
        var completion = TaskCompletion(serializer: self.serializer)
        switch outcome {
        case .success(let value): completion.value = value
        case .failure(let error): completion.error = error
        }
        self.tell(.completed(completion))
        self.registry.settled()
    }
}
