// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import Foundation
import Synchronization

extension ProgressStream {
    /// Makes a `Foundation.Progress` that follows this direction of a transfer, for user interfaces and trees of progress.
    ///
    /// The total is set before the completed bytes, and -1 (indeterminate) as long as it is not known; the last step is always taken. Steps are
    /// set from no particular thread. The progress is followed as long as the transfer goes on and anybody holds the progress.
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
        // The transfer owns this task: it ends with the sequence, and without the progress at the next step.
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
    /// Calls a function for each pause, and one for each end of a pause.
    ///
    /// Foundation calls its handlers concurrently, so that the one of a pause may come after the one of its end: each brings about the state
    /// that the progress has by then.
    fileprivate func followPauses(
        pausing pause: @escaping @Sendable () -> Void,
        resuming resume: (@Sendable () -> Void)?
    ) {
        let turn = Mutex(())
        let follow: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            // Inside the lock, so that the newest state is the last one to be brought about.
            turn.withLock { _ in
                if self.isPaused { pause() } else { resume?() }
            }
        }
        self.pausingHandler = follow
        self.resumingHandler = follow
    }

    /// Takes a step: the total first, so that nobody sees more completed than there is.
    func set(_ step: TransferProgress) {
        let total = step.total ?? -1
        // An attempt that starts again may have another total.
        if step.completed < self.completedUnitCount { self.completedUnitCount = step.completed }
        if total != self.totalUnitCount { self.totalUnitCount = total }
        if step.completed != self.completedUnitCount { self.completedUnitCount = step.completed }
    }
}
