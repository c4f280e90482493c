// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials

/// One attempt of a transfer.
struct TransferRun: Sendable {
    /// What is recorded of an upload while it is under way.
    enum Milestone: Sendable {
        /// The program's function has prepared the request for this URL; nothing has been sent.
        case prepared(URL)
        /// The server has everything, and the evidence of that has not been removed.
        case uploaded(byteCount: Int64)
    }

    let transfer: Transfer
    /// The URL to which the last attempt uploaded.
    private let target: URL
    /// Whether there was one since the bytes were last removed.
    private let isBegun: Bool
    let session: Session
    let prepare: TransferQueue.Preparation
    let monitor = TransferMonitor()
    private let record: TaskRecord
    /// Called at each milestone; returns whether it is recorded.
    private let report: @Sendable (Milestone) async -> Bool

    init(
        _ entry: TransferEntry,
        session: Session,
        prepare: @escaping TransferQueue.Preparation,
        report: @escaping @Sendable (Milestone) async -> Bool
    ) {
        self.transfer = entry.transfer
        self.target = entry.target ?? entry.transfer.url
        self.isBegun = entry.isBegun
        self.session = session
        self.prepare = prepare
        self.record = TaskRecord(Request(url: entry.transfer.url))
        self.report = report
    }

    /// Counts the bytes.
    var progress: ProgressStream {
        switch self.transfer.work {
        case .download: self.monitor.download
        case .upload: self.monitor.upload
        }
    }

    // Concurrent, because it calls the program's own code, and the caller is the actor that keeps the records.
    @concurrent
    func perform() async -> TransferOutcome {
        defer { self.monitor.finish() }
        let clock = self.session.configuration.clock
        let started = clock.now
        var outcome = TransferOutcome(result: .interrupted, request: self.request, elapsed: .zero)
        do {
            try await self.prepare(&outcome.request, self.transfer)
            try Task.checkCancellation()
            outcome.result = .finished(byteCount: try await self.send(outcome.request))
        } catch {
            let error = SessionError.wrapping(error, request: outcome.request, source: .interceptor)
            if let error = error as? SessionError {
                outcome.result = .failed(error)
                outcome.kept = self.kept(error)
                outcome.isRefusalOfWhole = self.isRefusalOfWhole(error)
                outcome.isPassing = self.isPassing(error)
            } else if !Task.isCancelled {
                outcome.result = .failed(
                    SessionError(.interceptorFailed, reason: "the function that prepares requests has cancelled it")
                )
            } else {
                outcome.kept = self.kept
            }
            self.release()
        }
        outcome.elapsed = started.duration(to: clock.now)
        return outcome
    }

    private var request: Request {
        switch self.transfer.work {
        case .download: Request(url: self.transfer.url)
        case .upload(_, let method, _): Request(method: method, url: self.transfer.url)
        }
    }

    private func send(_ request: Request) async throws -> Int64 {
        let handling = CallHandling(monitor: self.monitor, record: self.record)
        switch self.transfer.work {
        case .download(let destination, let options, let policy):
            var plan = DownloadPlan(request: request, destination: .file(destination), options: options, policy: policy)
            // The record contains the destination.
            plan.isPlaced = true
            return try await self.session.download(plan, handling).byteCount
        case .upload(let file, _, let upload):
            // An upload to the URL of the last attempt is not continued at another one.
            if self.isBegun, !self.isTarget(request.url) {
                try await self.discard(upload, of: file, at: self.target, with: request)
            }
            _ = await self.report(.prepared(request.url))
            let uploaded = try await self.session.upload(
                file,
                request,
                upload.createdWithoutContent,
                handling
            ) { byteCount in
                await self.report(.uploaded(byteCount: byteCount))
            }
            return uploaded.byteCount
        }
    }

    /// The bytes kept after a failed attempt; nil if it has changed nothing.
    private func kept(_ error: SessionError) -> TransferProgress? {
        switch self.transfer.work {
        case .download:
            // The request was sent and nothing is left: the bytes could not be told from others.
            (error.downloadRemains?.byteCount ?? (error.isRequestSent ? 0 : nil)).map {
                TransferProgress(completed: $0, total: self.progress.current.total)
            }
        case .upload:
            error.uploadRemains.map { TransferProgress(completed: $0.acknowledgedByteCount, total: $0.byteCount) }
        }
    }

    private func isPassing(_ error: SessionError) -> Bool {
        guard case .upload(_, _, let upload) = self.transfer.work else { return false }
        // The next attempt begins again with the file as it is then.
        return UploadScene.isPassing(error) || error.code == .sourceChanged && upload.whenChanged == .startAgain
    }

    private func isRefusalOfWhole(_ error: SessionError) -> Bool {
        guard case .upload(_, _, let upload) = self.transfer.work, let response = error.refusedResponse else {
            return false
        }
        return upload.dialect.isRefusalOfWhole(response)
    }

    /// The bytes kept after an interrupted attempt; nil if it has changed nothing.
    private var kept: TransferProgress? {
        let current = self.progress.current
        guard current != TransferProgress() else { return nil }
        guard case .download = self.transfer.work else { return current }
        return TransferProgress(completed: self.record.resumeData?.byteCount ?? 0, total: current.total)
    }

    // MARK: Files

    /// Removes the partial file of a download if it is empty.
    func release() {
        guard case .download(let destination, _, _) = self.transfer.work,
            let location = FileLocation(path: destination.path(percentEncoded: false)),
            let found = FileLocation(path: location.sibling(PartialFile.name(for: location))),
            FileNumber.ofRegularFile(at: found)?.byteCount == 0,
            var file = try? PartialFile(at: location, continuing: found.name)
        else { return }
        // Checked again under its lock.
        file.fate = (try? file.storedByteCount()) == 0 ? .removed : .kept
    }

    /// Creates a download's partial file, so that its number is recorded before it can be moved to the destination.
    ///
    /// - Returns: The number; nil for an upload.
    /// - Throws: `SessionError` for a destination that cannot be used.
    static func reserve(_ transfer: Transfer) throws(SessionError) -> FileNumber? {
        guard case .download(let destination, let options, let policy) = transfer.work else { return nil }
        let place = try DownloadTarget(destination, options: options)
        try place.prepareDirectory(policy.durability)
        do throws(SystemError) {
            var file = try PartialFile(at: place.location, continuing: PartialFile.name(for: place.location))
            file.fate = .kept
            return file.number
        } catch {
            throw SessionError(error)
        }
    }

    /// The size of the file at the destination, if a download put it there that had not stopped when its process ended.
    static func committedByteCount(_ entry: TransferEntry) -> Int64? {
        guard let partial = entry.partial,
            case .download(let destination, _, _) = entry.transfer.work,
            let location = FileLocation(path: destination.path(percentEncoded: false)),
            let found = FileNumber.ofRegularFile(at: location), found.number.matches(partial)
        else { return nil }
        // Another file may have got the number of one that was removed, but not its time of creation. The size decides
        // only without one: the record knows it from an earlier attempt, and the server may have another version now.
        let isCertain = found.number.created != nil && partial.created != nil
        let total = entry.transfer.progress.total
        return isCertain || total == nil || total == found.byteCount ? found.byteCount : nil
    }

    /// Removes the bytes of a cancelled transfer, here and, if it can be reached, on the server.
    ///
    /// - Returns: Whether that is done; false if it was cancelled, so that the next process has to do it.
    @concurrent
    func discard() async -> Bool {
        guard case .upload(let file, _, let upload) = self.transfer.work else {
            self.removePartialFile()
            return true
        }
        var request = self.request
        do {
            try await self.prepare(&request, self.transfer)
            try await self.discard(upload, of: file, at: self.target, with: request)
            // A process that was killed may not have recorded where its attempt went.
            if !self.isTarget(request.url) { try await self.discard(upload, of: file, at: request.url, with: request) }
        } catch {
            if Task.isCancelled { return false }
            upload.forget(file, uploadedTo: self.target)
        }
        return true
    }

    /// Whether the last attempt uploaded to a URL, apart from its query.
    private func isTarget(_ url: URL) -> Bool {
        RequestTarget.redacted(url).utf8.elementsEqual(RequestTarget.redacted(self.target).utf8)
    }

    /// Gives up what was uploaded to a URL: here, and on the server if it can be reached.
    ///
    /// - Throws: `CancellationError` if it was cancelled, so that it has to be done later.
    private func discard(
        _ upload: ResumableUpload,
        of file: URL,
        at url: URL,
        with request: Request
    ) async throws {
        do {
            try await self.session.discardUpload(of: file, to: url, with: request, resuming: upload)
        } catch let error as SessionError where error.code == .uploadInUse {
            // The journal belongs to another upload of the file.
        } catch {
            try Task.checkCancellation()
            // The server drops the upload at some time by itself.
            upload.forget(file, uploadedTo: url)
        }
    }

    /// Removes the partial file of a download, with its journal.
    func removePartialFile() {
        guard case .download(let destination, _, _) = self.transfer.work,
            let location = FileLocation(path: destination.path(percentEncoded: false))
        else { return }
        // If another download has locked it, it is not this transfer's; otherwise it is removed when it is released.
        _ = try? PartialFile(at: location, continuing: PartialFile.name(for: location))
    }

    /// Removes the remains of an upload that was complete when its process ended.
    func tidy() {
        guard case .upload(let file, _, let upload) = self.transfer.work else { return }
        upload.tidy(file, uploadedTo: self.target)
    }
}
