// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
internal import Synchronization

/// A receiver of an image download, which it may share with others.
public struct ImageDownloadReceipt: Sendable, Identifiable {
    /// The number of the receipt, unique in its downloader.
    public let id: UInt64

    /// The request.
    public let request: Request

    let outcome: ImageOutcome
    let downloader: ImageDownloader

    /// The image, once it has arrived.
    ///
    /// Cancelling a task that waits for it cancels the receipt.
    ///
    /// - Throws: `SessionError`; `CancellationError` when the receipt or the task is cancelled.
    public var image: Image {
        get async throws {
            do {
                return try await self.outcome.value
            } catch let error as CancellationError {
                // Not in the handler of the cancellation, which holds a lock of the task: this wakes up the other tasks
                // that wait, and cancels the download.
                self.cancel()
                throw error
            }
        }
    }

    /// Leaves the download: ``image`` throws `CancellationError`.
    ///
    /// The download is cancelled when its last receiver leaves. It has no effect after the image has arrived.
    public func cancel() {
        self.downloader.cancel(self.id)
    }
}

/// The image or the error of a receipt, set once.
final class ImageOutcome: Sendable {
    private typealias Waiter = CheckedContinuation<Image, any Error>

    private enum State {
        case waiting([UInt64: Waiter])
        case known(Result<Image, any Error>)
    }

    private let state = Mutex(State.waiting([:]))
    private let lastID = Atomic<UInt64>(0)

    /// The number of tasks that wait.
    var waiterCount: Int {
        self.state.withLock { if case .waiting(let waiters) = $0 { waiters.count } else { 0 } }
    }

    /// The image, once it is known.
    ///
    /// A cancelled task stops waiting, which changes nothing for the others.
    var value: Image {
        get async throws {
            let id = self.lastID.add(1, ordering: .relaxed).newValue
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in
                    if let result = self.wait(id, waiter) { waiter.resume(with: result) }
                }
            } onCancel: {
                self.stopWaiting(id)?.resume(throwing: CancellationError())
            }
        }
    }

    func resolve(_ result: Result<Image, any Error>) {
        let waiters = self.state.withLock { state -> [UInt64: Waiter] in
            guard case .waiting(let waiters) = state else { return [:] }
            state = .known(result)
            return waiters
        }
        for waiter in waiters.values { waiter.resume(with: result) }
    }

    /// Adds a waiter, unless the result is known.
    private func wait(_ id: UInt64, _ waiter: Waiter) -> Result<Image, any Error>? {
        self.state.withLock { state in
            switch state {
            case .known(let result): return result
            case .waiting(var waiters):
                // Checked inside the lock: a later cancellation finds the waiter.
                if Task.isCancelled { return .failure(CancellationError()) }
                state = .waiting([:])  // Otherwise the change would copy all of them.
                waiters[id] = waiter
                state = .waiting(waiters)
                return nil
            }
        }
    }

    private func stopWaiting(_ id: UInt64) -> Waiter? {
        self.state.withLock { state in
            guard case .waiting(var waiters) = state else { return nil }
            state = .waiting([:])  // Otherwise the change would copy all of them.
            defer { state = .waiting(waiters) }
            return waiters.removeValue(forKey: id)
        }
    }
}
