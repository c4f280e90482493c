// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import BluebonnetSerialization
public import FoundationEssentials
import HTTPTypes

extension Session {
    /// Discards an unfinished upload: terminates it on the server, if it is known there, and removes the journal.
    ///
    /// A server that still holds the lock of a request that was broken off (423) is asked again for some seconds.
    ///
    /// - Parameters:
    ///   - file: The URL of the file, which need not exist any more.
    ///   - request: URL and fields, as they were given to the upload.
    ///   - upload: The protocol and the folder of the journal.
    /// - Returns: Whether there was an upload to discard.
    /// - Throws: ``SessionError``: ``SessionError/Code/uploadInUse`` while the upload is under way,
    ///   ``SessionError/Code/unacceptableStatus`` if the server refuses, and those of any exchange; the journal is then
    ///   kept. `CancellationError` when the task is cancelled.
    @concurrent
    @discardableResult
    public func discardUpload(
        of file: URL,
        with request: Request,
        resuming upload: ResumableUpload
    ) async throws -> Bool {
        try await self.discardUpload(of: file, to: request.url, with: request, resuming: upload)
    }

    /// Discards an unfinished upload.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - url: The URL to which it was uploaded.
    ///   - request: Its fields; its URL decides which of them other origins get.
    ///   - upload: The protocol and the folder of the journal.
    /// - Returns: Whether there was an upload to discard.
    /// - Throws: What ``discardUpload(of:with:resuming:)`` throws.
    @concurrent
    @discardableResult
    func discardUpload(
        of file: URL,
        to url: URL,
        with request: Request,
        resuming upload: ResumableUpload
    ) async throws -> Bool {
        let dialect = upload.dialect
        let place = try UploadJournalPlace(file, url, upload, dialect)
        let empty = UploadJournal(
            target: RequestTarget.redacted(url),
            dialect: dialect.name,
            source: FileIdentity(byteCount: 0, seconds: 0, nanoseconds: 0, inode: 0),
            parts: [.init(from: 0, to: 0, url: nil, offset: 0)]
        )
        let ledger: UploadLedger
        do {
            ledger = try UploadLedger(
                at: place.location,
                name: place.name,
                fresh: empty,
                isSame: { _ in true },
                call: nil
            )
        } catch let error as SystemError {
            throw SessionError(ofUploadJournal: error)
        }
        guard ledger.opening == .resumed else { return false }
        let journal = await ledger.journal
        if !journal.isComplete { try await self.terminate(journal.parts.compactMap(\.url), request, dialect) }
        await ledger.remove()
        return true
    }

    /// Terminates uploads on their server, each of them even if it refuses another one.
    ///
    /// - Throws: The first failure; `CancellationError` when the task is cancelled.
    private func terminate(_ urls: [String], _ request: Request, _ dialect: any UploadDialect) async throws {
        var failure: SessionError?
        for url in urls {
            guard let target = RedirectTarget(url, from: request.url), !target.isDowngrade else { continue }
            do {
                try await self.terminate(request.withoutBody.following(target, home: self.home), dialect)
            } catch let error as SessionError {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Terminates an upload on its server.
    ///
    /// - Parameters:
    ///   - request: A request to the URL of the upload.
    ///   - dialect: The protocol.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
    func terminate(_ request: Request, _ dialect: any UploadDialect) async throws {
        var request = request
        dialect.terminate(&request)
        request.keepsMethod = true
        let clock = self.configuration.clock
        var delay = Duration.milliseconds(100)
        while true {
            let response = try await self.response(for: request)
            // 405 and 501: the server does not support termination, and drops the upload at some time by itself.
            if response.status.kind == .successful || [404, 405, 410, 501].contains(response.status.code) { return }
            let error = UploadPartTransfer.refusal(response)
            guard UploadScene.isPassing(error), delay <= Self.longestTerminationDelay else { throw error }
            try await clock.sleep(until: clock.now.advanced(by: delay))
            delay *= 2
        }
    }

    /// The longest delay before a termination is tried again: three seconds after the first attempt, there is no other.
    private static var longestTerminationDelay: Duration { .milliseconds(1600) }
}
