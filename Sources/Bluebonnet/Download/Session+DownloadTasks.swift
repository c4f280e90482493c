// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

extension Session {
    /// Makes a task that writes a response's body into a file; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The file's URL; see ``download(_:to:destinationOptions:policy:monitor:)-(_,URL,_,_,_)``.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    /// - Returns: The task, suspended.
    public func downloadTask(
        with request: Request,
        to destination: URL,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy()
    ) -> DownloadTask {
        self.downloadTask(
            with: request,
            to: .file(destination),
            destinationOptions: destinationOptions,
            policy: policy
        )
    }

    /// Makes a task that writes a response's body into a file whose destination may depend on the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The destination of the file.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    /// - Returns: The task, suspended; it starts with ``SessionTask/resume()``.
    public func downloadTask(
        with request: Request,
        to destination: DownloadDestination,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy()
    ) -> DownloadTask {
        self.downloadTask(
            DownloadPlan(request: request, destination: destination, options: destinationOptions, policy: policy)
        )
    }

    /// Makes a task that continues a download that was cancelled or has failed.
    ///
    /// It requests the rest, on condition that the representation is still the same. If it is not, or if the partial
    /// file is gone, the download starts again, and ``DownloadedFile/restart`` says why.
    ///
    /// - Parameters:
    ///   - resumeData: The value from ``SessionTask/cancelProducingResumeData()`` or ``SessionError/downloadRemains``;
    ///     it contains the destination.
    ///   - request: The request, with credentials and a URL that are valid now; a GET without a Range field, or the download starts again.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    /// - Returns: The task, suspended; it starts with ``SessionTask/resume()``.
    public func downloadTask(
        resumeData: DownloadResumeData,
        with request: Request,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy()
    ) -> DownloadTask {
        var plan = DownloadPlan(
            request: request,
            destination: .file(resumeData.destination),
            options: destinationOptions,
            policy: policy
        )
        plan.resumeData = resumeData
        return self.downloadTask(plan)
    }

    private func downloadTask(_ plan: DownloadPlan) -> DownloadTask {
        SessionTask(.download, plan.request, of: self) { handling in try await self.download(plan, handling) }
    }
}

extension SessionTask where Output == DownloadedFile {
    /// Cancels the task, keeps the bytes that it has received, and waits until they are on the disk.
    ///
    /// - Returns: The data to continue with; nil if the task had ended, if no byte had arrived, or if the response has
    ///   no strong entity tag, so that nothing could tell whether the rest belongs to these bytes.
    public func cancelProducingResumeData() async -> DownloadResumeData? {
        self.record.keepsPartialFile = true
        self.cancel()
        return await withCheckedContinuation { continuation in
            self.onCompletion { _ in continuation.resume(returning: self.record.resumeData) }
        }
    }

    /// Cancels the task and keeps the bytes that it has received.
    ///
    /// - Parameter body: Called once, in the context of ``Session/Configuration/completion``, with the result of
    ///   ``cancelProducingResumeData()``.
    public func cancel(producingResumeData body: @escaping @Sendable (DownloadResumeData?) -> Void) {
        self.record.keepsPartialFile = true
        self.cancel()
        self.onCompletion { _ in body(self.record.resumeData) }
    }
}
