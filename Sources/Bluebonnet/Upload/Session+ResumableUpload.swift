// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

extension Session {
    /// Uploads a file, and continues an earlier upload of it to the same URL.
    ///
    /// ```swift
    /// let uploaded = try await session.upload(file, to: url, resuming: .tus())
    /// print(uploaded.resumedOffset)
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file's URL. It is read in pieces; memory use does not depend on its size.
    ///   - url: The URL that creates uploads. Its query and user information are ignored in the search for an earlier
    ///     upload.
    ///   - headers: The fields of every request, for example credentials. To another origin than that of `url`, only
    ///     harmless ones are sent.
    ///   - upload: The protocol, and how an upload continues.
    ///   - monitor: Its ``TransferMonitor/upload`` counts the bytes that the server has acknowledged: it starts with
    ///     those of earlier uploads, and decreases only if the server has lost bytes.
    /// - Returns: The uploaded file.
    /// - Throws: What ``upload(_:with:resuming:monitor:)`` throws.
    public func upload(
        _ file: URL,
        to url: URL,
        headers: HTTPFields = HTTPFields(),
        resuming upload: ResumableUpload,
        monitor: TransferMonitor? = nil
    ) async throws -> UploadedFile {
        try await self.upload(
            file,
            with: Request(method: .post, url: url, headers: headers),
            resuming: upload,
            monitor: monitor
        )
    }

    /// Uploads a file with the caller's request, and continues an earlier upload of it to the same URL.
    ///
    /// The upload takes several requests; each is a separate call, with the limits of the session or of the request. On
    /// an error and on cancellation the journal is kept, and ``SessionError/uploadRemains`` has the progress of the
    /// upload; ``discardUpload(of:with:resuming:)`` removes it.
    ///
    /// A redirect that would drop the bytes is not followed: 303, and 301 or 302 for a POST, unless
    /// ``RedirectPolicy/keepsPost`` is set. It is an error; a 303 to the draft's last piece with `Upload-Complete: ?1`
    /// completes the upload.
    ///
    /// A small file may be sent with the request that creates the upload. If the connection is lost before the server
    /// has named the upload, or if it responds with a status such as 504, it is unknown whether the server has the
    /// file; as with every POST, that is an error, and the caller decides whether to send it again.
    ///
    /// - Parameters:
    ///   - file: The file's URL.
    ///   - request: URL, fields and options of the requests. Its body is not used, nor is its method, except PUT with
    ///     the draft.
    ///   - upload: The protocol, and how an upload continues.
    ///   - monitor: Its ``TransferMonitor/upload`` counts the bytes that the server has acknowledged.
    /// - Returns: The uploaded file.
    /// - Throws: ``SessionError``: ``SessionError/Code/uploadInUse``, ``SessionError/Code/sourceChanged``, ``SessionError/Code/uploadLost``,
    ///   ``SessionError/Code/uploadTooLarge``, ``SessionError/Code/uploadProtocolFailed``, ``SessionError/Code/digestMismatch``,
    ///   ``SessionError/Code/unacceptableStatus`` for a response that ends the upload, ``SessionError/Code/bodyFailed`` for a file that
    ///   cannot be read, ``SessionError/Code/storageFull`` and ``SessionError/Code/storageFailed`` for the journal, and those of any
    ///   exchange. `CancellationError` when the task is cancelled.
    public func upload(
        _ file: URL,
        with request: Request,
        resuming upload: ResumableUpload,
        monitor: TransferMonitor? = nil
    ) async throws -> UploadedFile {
        try await self.upload(file, request, upload, CallHandling(monitor: monitor))
    }

    /// Makes a task that uploads a file and continues an earlier upload of it; it starts with ``SessionTask/resume()``.
    ///
    /// A suspended task finishes sending the current piece, and sends no other one.
    ///
    /// - Parameters:
    ///   - file: The file's URL.
    ///   - request: URL, fields and options of the requests.
    ///   - upload: The protocol, and how an upload continues.
    /// - Returns: The task, suspended.
    public func uploadTask(
        _ file: URL,
        with request: Request,
        resuming upload: ResumableUpload
    ) -> UploadTask<UploadedFile> {
        SessionTask(.upload, request, of: self) { handling in
            try await self.upload(file, request, upload, handling)
        }
    }

    /// Uploads a file.
    ///
    /// - Parameter whenComplete: Called when the server has everything, before the journal and the file are removed;
    ///   returns whether they may be. Nil, the default, if they may in any case.
    // Concurrent, because opening, reading and journalling block while the disk is busy, and the caller's actor may be the main one.
    @concurrent
    func upload(
        _ file: URL,
        _ request: Request,
        _ upload: ResumableUpload,
        _ handling: CallHandling,
        whenComplete: (@Sendable (_ byteCount: Int64) async -> Bool)? = nil
    ) async throws -> UploadedFile {
        let call = self.makeCall(request.withoutBody, handling, isBounded: false)
        call.tell(.callStarted)
        do {
            let isAdmitted = self.admission.hold(isNested: self.isNested, isUnderWay: handling.isUnderWay)
            guard isAdmitted else { throw Admission.shutDown }
            defer { self.admission.release() }
            let transfer = try UploadTransfer(file, with: request, upload, of: self, call)
            let file = try await transfer.run(whenComplete)
            call.finish(.completed)
            return file
        } catch {
            throw call.fail(error, source: .transport)
        }
    }
}
