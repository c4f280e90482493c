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
    /// The response is validated first; one that is refused leaves no file. The bytes go into a partial file beside the destination, which
    /// takes the destination's name when all of them are there and verified: the destination is either untouched or complete. Memory use
    /// does not depend on the size.
    ///
    /// A response that breaks off is followed by a request for the rest as the session's ``RetryPolicy`` says: behind the bytes that are there
    /// if the response has a strong entity tag, else from the first one.
    ///
    /// On an error and on cancellation the partial file, of a random name (`.NAME.XXXXXXXX.partial`), is removed, unless only the last
    /// step has failed; then it stays, and ``SessionError/remains`` says where. With ``DownloadPolicy/resuming`` it has a name that the
    /// next download to the same destination finds (`.NAME.bluebonnet-part`), and stays, so that the next one goes on with it. Two
    /// downloads that would write to it at the same time are kept apart by a lock: the second one fails.
    ///
    /// ```swift
    /// let file = try await session.download(Request(url: url), to: directory.appending(path: "image.iso"), policy: .resuming)
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The file's URL. What is there already is kept, unless ``DownloadOptions/overwrite`` is given.
    ///   - options: What may be done to get it there.
    ///   - policy: How interruptions, wrong bytes and a loss of power are dealt with.
    ///   - monitor: Watches the bytes of both directions. A download that goes on starts with the bytes that are there.
    /// - Returns: The file.
    /// - Throws: ``SessionError``: ``SessionError/Code/unacceptableStatus`` or ``SessionError/Code/unacceptableContentType`` for a response
    ///   that is refused, ``SessionError/Code/incompleteDownload``, ``SessionError/Code/digestMismatch``,
    ///   ``SessionError/Code/responseTooLarge``, ``SessionError/Code/destinationExists``,
    ///   ``SessionError/Code/destinationUnavailable``, ``SessionError/Code/destinationInUse``, ``SessionError/Code/storageFull``,
    ///   ``SessionError/Code/storageFailed``, and those of any exchange. `CancellationError` when the task is cancelled.
    public func download(
        _ request: Request,
        to destination: URL,
        options: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy(),
        monitor: TransferMonitor? = nil
    ) async throws -> DownloadedFile {
        try await self.download(request, to: .file(destination), options: options, policy: policy, monitor: monitor)
    }

    /// Sends a request and writes the body of its response into a file whose place may depend on the response.
    ///
    /// ```swift
    /// let destination = DownloadDestination.decided { temporary, response in
    ///     response.headers[.contentType] == "application/pdf" ? directory.appending(path: "report.pdf") : temporary
    /// }
    /// let file = try await session.download(Request(url: url), to: destination)
    /// ```
    ///
    /// Where the place is decided after the head and there is a partial file to continue, the request is sent a second time, for the rest.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: Where the file goes.
    ///   - options: What may be done to get it there.
    ///   - policy: How interruptions, wrong bytes and a loss of power are dealt with.
    ///   - monitor: Watches the bytes of both directions.
    /// - Returns: The file.
    /// - Throws: What ``download(_:to:options:policy:monitor:)-(_,URL,_,_,_)`` throws, and ``SessionError/Code/interceptorFailed`` with what
    ///   the function of the destination threw.
    public func download(
        _ request: Request,
        to destination: DownloadDestination,
        options: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy(),
        monitor: TransferMonitor? = nil
    ) async throws -> DownloadedFile {
        let plan = DownloadPlan(request: request, destination: destination, options: options, policy: policy)
        return try await self.download(plan, CallHandling(monitor: monitor))
    }

    // Concurrent, because writing blocks while the disk is busy, and the caller's actor may be the main one.
    @concurrent
    func download(_ plan: DownloadPlan, _ handling: CallHandling) async throws -> DownloadedFile {
        let plan = plan.deciding(self.configuration.downloadDestination)
        // The file is saved as the server has it, compressed or not.
        var handling = handling
        handling.decodesContent = false
        // Before a call is made: a destination that cannot work costs no transfer.
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
            call.finish(.completed)
            return file
        } catch {
            let isKept = handling.record?.keepsPartialFile ?? false
            let (error, remains) = course.failure(error, isKept: isKept)
            handling.record?.left(remains?.resumeData)
            throw call.fail(error, source: .interceptor)
        }
    }
}
