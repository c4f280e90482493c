// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials
import HTTPTypes
import NIOCore

extension Session {
    /// Sends a request and writes the body of its response into a file.
    ///
    /// The response is validated first; a refused one leaves no file. The bytes are written to a partial file beside
    /// the destination, which is renamed to the destination when all of them have arrived and were verified: the
    /// destination is either untouched or complete. Memory use does not depend on the size.
    ///
    /// If a response is interrupted, the rest is requested as the session's ``RetryPolicy`` says: after the bytes
    /// received so far if the response has a strong entity tag, else from the first one.
    ///
    /// On an error and on cancellation the partial file, which has a random name (`.NAME.XXXXXXXX.partial`), is
    /// removed, unless only the last step has failed; then it is kept, and ``SessionError/downloadRemains`` says where.
    /// With ``DownloadPolicy/resuming`` it has a name that the next download to the same destination finds
    /// (`.NAME.bluebonnet-part`), and is kept, so that the next download continues it. A lock prevents two downloads
    /// from writing to it at the same time: the second one fails.
    ///
    /// ```swift
    /// let file = try await session.download(Request(url: url), to: directory.appending(path: "image.iso"), policy: .resuming)
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The file's URL. An existing file is kept, unless ``DownloadOptions/overwrite`` is given.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    ///   - monitor: Counts the bytes of both directions. A continued download starts with the bytes present.
    /// - Returns: The file.
    /// - Throws: ``SessionError``: ``SessionError/Code/unacceptableStatus`` or
    ///   ``SessionError/Code/unacceptableContentType`` for a refused response,
    ///   ``SessionError/Code/incompleteDownload``, ``SessionError/Code/digestMismatch``,
    ///   ``SessionError/Code/responseTooLarge``, ``SessionError/Code/destinationExists``,
    ///   ``SessionError/Code/destinationUnavailable``, ``SessionError/Code/destinationInUse``,
    ///   ``SessionError/Code/storageFull``, ``SessionError/Code/storageFailed``, and those of any exchange.
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func download(
        _ request: Request,
        to destination: URL,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy(),
        monitor: TransferMonitor? = nil
    ) async throws -> DownloadedFile {
        try await self.download(
            request,
            to: .file(destination),
            destinationOptions: destinationOptions,
            policy: policy,
            monitor: monitor
        )
    }

    /// Sends a request and writes the body of its response into a file whose destination may depend on the response.
    ///
    /// ```swift
    /// let destination = DownloadDestination.decided { temporary, response in
    ///     response.headers[.contentType] == "application/pdf" ? directory.appending(path: "report.pdf") : temporary
    /// }
    /// let file = try await session.download(Request(url: url), to: destination)
    /// ```
    ///
    /// If the destination is decided after the head and there is a partial file to continue, the request is sent a
    /// second time, for the rest.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The destination of the file.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    ///   - monitor: Counts the bytes of both directions.
    /// - Returns: The file.
    /// - Throws: What ``download(_:to:destinationOptions:policy:monitor:)-(_,URL,_,_,_)`` throws, and
    ///   ``SessionError/Code/interceptorFailed`` with what the function of the destination threw.
    @discardableResult
    public func download(
        _ request: Request,
        to destination: DownloadDestination,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy(),
        monitor: TransferMonitor? = nil
    ) async throws -> DownloadedFile {
        let plan = DownloadPlan(
            request: request,
            destination: destination,
            options: destinationOptions,
            policy: policy
        )
        return try await self.download(plan, CallHandling(monitor: monitor))
    }

    // Concurrent, because writing blocks while the disk is busy, and the caller's actor may be the main actor.
    @concurrent
    func download(_ plan: DownloadPlan, _ handling: CallHandling) async throws -> DownloadedFile {
        var plan = plan.deciding(self.configuration.downloadDestination)
        plan.request = plan.request.accepting(plan.policy.validation.acceptableContentTypes, in: self)
        // The file is saved as the server sends it, compressed or not.
        var handling = handling
        handling.decodesContent = false
        // Before the call is made: a destination that cannot be used costs no transfer.
        let transfer: DownloadTransfer
        do {
            transfer = try DownloadTransfer(plan)
        } catch {
            handling.monitor?.finish()
            throw SessionError.wrapping(error, request: plan.request, source: .transport)
        }
        let call = self.makeCall(transfer.request, handling)
        var course = DownloadCourse(transfer, call, self)
        do {
            let file = try await course.run()
            handling.monitor?.responseEnded()
            call.finish(.completed)
            return file
        } catch {
            let isKept = handling.record?.keepsPartialFile ?? false
            let (error, remains) = course.failure(error, isKept: isKept)
            handling.record?.left(remains?.resumeData)
            if let remains { call.tell(.download(.kept(remains))) }
            throw call.fail(error, source: .interceptor)
        }
    }
}
