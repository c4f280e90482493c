// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import Foundation
import Synchronization

extension ProgressStream {
    /// Makes a `Foundation.Progress` that follows this direction of a transfer, for user interfaces and progress trees.
    ///
    /// The total is set before the completed bytes, and is -1 (indeterminate) while it is not known, at the latest
    /// until the body has ended; the last step is always taken. An empty body counts as one of one, because
    /// `Foundation.Progress` never finishes 0 of 0. Steps are set from no particular thread. The progress is updated as
    /// long as the transfer continues and the progress is retained.
    ///
    /// - Parameters:
    ///   - cancel: Called when the progress is cancelled; nil, the default, for a progress that cannot be.
    ///   - pause: Called when the progress is paused; nil, the default, for a progress that cannot be.
    ///   - resume: Called when the progress is resumed.
    /// - Returns: The progress, of kind `file`.
    public func makeProgress(
        cancelling cancel: (@Sendable () -> Void)? = nil,
        pausing pause: (@Sendable () -> Void)? = nil,
        resuming resume: (@Sendable () -> Void)? = nil
    ) -> Progress {
        let progress = Progress.discreteProgress(totalUnitCount: -1)
        progress.kind = .file
        progress.isCancellable = cancel != nil
        progress.isPausable = pause != nil
        progress.cancellationHandler = cancel
        if let pause { progress.followPauses(pausing: pause, resuming: resume) }
        progress.set(self.current)
        // The transfer owns this task: it ends with the sequence, or, once the progress is released, at the next step.
        Task { [weak progress] in
            for await step in self {
                guard let progress else { return }
                progress.set(step)
            }
        }
        return progress
    }
}

extension Progress {
    /// Calls one function for each pause, and another for each end of a pause.
    ///
    /// Foundation calls its handlers concurrently, so that the handler of a pause may run after the one of its end:
    /// each of them applies the current state of the progress. The handler of an end also runs without a pause, for
    /// example when a parent is resumed.
    fileprivate func followPauses(
        pausing pause: @escaping @Sendable () -> Void,
        resuming resume: (@Sendable () -> Void)?
    ) {
        let hasPaused = Mutex(false)
        let follow: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            // Inside the lock, so that the newest state is applied last.
            hasPaused.withLock { hasPaused in
                let isPaused = self.isPaused
                if isPaused { pause() } else if hasPaused { resume?() }
                hasPaused = isPaused
            }
        }
        self.pausingHandler = follow
        self.resumingHandler = follow
    }

    /// Applies a step: the total first, so that the completed bytes never exceed it.
    func set(_ step: TransferProgress) {
        let isEmpty = step.total == 0 && step.completed == 0
        let (completed, total) = isEmpty ? (1, 1) : (step.completed, step.total ?? -1)
        // A repeated attempt may have another total.
        if completed < self.completedUnitCount { self.completedUnitCount = completed }
        if total != self.totalUnitCount { self.totalUnitCount = total }
        if completed != self.completedUnitCount { self.completedUnitCount = completed }
    }
}
