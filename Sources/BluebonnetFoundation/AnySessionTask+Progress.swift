// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import Foundation

extension AnySessionTask {
    /// Makes a `Foundation.Progress` for the bytes of the request's body.
    ///
    /// Cancelling it cancels the task, pausing it suspends the task, and resuming it after a pause resumes the task. It
    /// does not start a task, nor resume one that was suspended otherwise.
    ///
    /// - Returns: The progress; see `ProgressStream.makeProgress(cancelling:pausing:resuming:)`.
    public func makeUploadProgress() -> Progress { self.progress(of: self.uploadProgress) }

    /// Makes a `Foundation.Progress` for the bytes of the response's body.
    ///
    /// Cancelling it cancels the task, pausing it suspends the task, and resuming it after a pause resumes the task. It
    /// does not start a task, nor resume one that was suspended otherwise.
    ///
    /// ```swift
    /// let task = try api.prepare(.get, "image.iso").downloadTask(to: destination)
    /// parent.addChild(task.makeDownloadProgress(), withPendingUnitCount: 1)
    /// task.resume()
    /// ```
    ///
    /// - Returns: The progress; see `ProgressStream.makeProgress(cancelling:pausing:resuming:)`.
    public func makeDownloadProgress() -> Progress { self.progress(of: self.downloadProgress) }

    private func progress(of stream: ProgressStream) -> Progress {
        // A running task retains itself.
        stream.makeProgress(
            cancelling: { [weak self] in self?.cancel() },
            pausing: { [weak self] in self?.suspend() },
            resuming: { [weak self] in self?.resume() }
        )
    }
}
