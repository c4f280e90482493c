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
            try await withTaskCancellationHandler {
                try await self.outcome.value
            } onCancel: {
                self.cancel()
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
    private enum State {
        case waiting([CheckedContinuation<Image, any Error>])
        case known(Result<Image, any Error>)
    }

    private let state = Mutex(State.waiting([]))

    var value: Image {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let known = self.state.withLock { state -> Result<Image, any Error>? in
                    switch state {
                    case .known(let result): return result
                    case .waiting(let others):
                        state = .waiting(others + [continuation])
                        return nil
                    }
                }
                if let known { continuation.resume(with: known) }
            }
        }
    }

    func resolve(_ result: Result<Image, any Error>) {
        let waiters = self.state.withLock { state -> [CheckedContinuation<Image, any Error>] in
            guard case .waiting(let waiters) = state else { return [] }
            state = .known(result)
            return waiters
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
