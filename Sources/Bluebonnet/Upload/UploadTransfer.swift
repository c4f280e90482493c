// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import Crypto
import FoundationEssentials
import HTTPTypes

/// One resumable upload: from the journal to the response that completes it.
struct UploadTransfer: Sendable {
    private let scene: UploadScene
    private let record: TaskRecord?

    /// Opens file and journal, blocking the thread.
    ///
    /// - Throws: `SessionError`; `CancellationError`.
    init(
        _ file: URL,
        with request: Request,
        _ upload: ResumableUpload,
        of session: Session,
        _ call: Call
    ) throws {
        let source = try UploadSource(file)
        let dialect = upload.dialect
        let ledger = try UploadLedger(
            source,
            to: request,
            upload,
            dialect,
            call
        )
        self.scene = UploadScene(
            session: session,
            request: request.withoutBody,
            upload: upload,
            dialect: dialect,
            source: source,
            ledger: ledger,
            call: call,
            retryAccount: session.retryAccount
        )
        self.record = call.handling.record
    }

    /// Sends the bytes that the server lacks.
    ///
    /// - Parameter whenComplete: Called when the server has everything, before the journal and the file are removed;
    ///   returns whether they may be. Nil if they may in any case.
    /// - Returns: The uploaded file.
    /// - Throws: `SessionError`; `CancellationError`.
    func run(_ whenComplete: (@Sendable (_ byteCount: Int64) async -> Bool)?) async throws -> UploadedFile {
        do {
            return try await self.carry(whenComplete)
        } catch {
            let error = SessionError.wrapping(error, request: self.scene.request, source: .transport)
            guard var failure = error as? SessionError else { throw error }
            failure.downloadRemains = nil
            failure.uploadRemains = await self.scene.ledger.remains
            throw failure
        }
    }

    private func carry(_ whenComplete: (@Sendable (_ byteCount: Int64) async -> Bool)?) async throws -> UploadedFile {
        let ledger = self.scene.ledger
        var file = UploadedFile(byteCount: self.scene.source.byteCount)
        switch ledger.opening {
        case .resumed where await ledger.journal.isComplete:
            file.resumedOffset = file.byteCount
        // Without a URL there is nothing to continue, and the server may have been another one.
        case .resumed where await ledger.journal.parts.contains { $0.url != nil }:
            file.response = try await self.send()
        case .changed:
            guard self.scene.upload.whenChanged == .startAgain else { throw SessionError.sourceChanged }
            if let earlier = await ledger.earlier { try await self.scene.giveUp(earlier) }
            try await self.begin(restart: .changed)
            file.response = try await self.send()
        case .resumed, .fresh:
            try await self.begin(restart: nil)
            file.response = try await self.send()
        }
        try await ledger.complete(isEvidence: whenComplete != nil)
        let mayTidy = await whenComplete?(file.byteCount) ?? true
        file.restart = await ledger.restart
        if file.restart == nil { file.resumedOffset += await ledger.resumedByteCount }
        file.url = await self.url(after: file.response)
        if let response = file.response { self.record?.collected(response) }
        guard mayTidy else {
            // They are the only evidence of the end, and the next upload needs both to find it.
            await ledger.release()
            return file
        }
        try self.removeSource()
        await ledger.remove()
        return file
    }

    /// Requests the server's capabilities, and divides the file.
    private func begin(restart: UploadRestart?) async throws {
        if self.scene.upload.digestsSource, await self.scene.ledger.journal.digest == nil {
            await self.scene.ledger.identify(try self.scene.source.sha256())
        }
        let capabilities = try await self.discover()
        let byteCount = self.scene.source.byteCount
        if let limit = capabilities.limits.largestFile, byteCount > limit {
            throw SessionError.tooLarge(byteCount, limit)
        }
        let count = Int64(self.scene.dialect.partCount(byteCount, capabilities))
        let ends = (0...count).map { byteCount / count * $0 + min($0, byteCount % count) }
        let parts = zip(ends, ends.dropFirst()).map { UploadJournal.Part(from: $0, to: $1, url: nil, offset: $0) }
        try await self.scene.ledger.begin(parts, capabilities, restart: restart)
    }

    private func discover() async throws -> UploadCapabilities {
        guard let request = self.scene.dialect.discovery(self.scene.request) else { return UploadCapabilities() }
        return try await self.repeating { try self.scene.dialect.capabilities(try await self.scene.exchange(request)) }
    }

    private func send() async throws -> Response {
        let journal = await self.scene.ledger.journal
        guard journal.parts.count > 1 else {
            var part = UploadPartTransfer(self.scene, index: 0, journal.capabilities)
            return try await part.run()
        }
        var (joinCount, refused) = (0, [String?]())
        while true {
            try await self.sendParts(isUntouched: joinCount == 0)
            let urls = await self.scene.ledger.journal.parts.map(\.url)
            let response = try await self.join()
            guard UploadPartTransfer.isLost(response) else { return response }
            // Each part is asked for again, which finds the lost ones. If none is lost, only the join is refused.
            guard urls != refused, joinCount < UploadPartTransfer.largestCount else {
                throw UploadPartTransfer.refusal(response)
            }
            (joinCount, refused) = (joinCount + 1, urls)
        }
    }

    private func sendParts(isUntouched: Bool) async throws {
        let journal = await self.scene.ledger.journal
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in journal.parts.indices {
                group.addTask {
                    var part = UploadPartTransfer(
                        self.scene,
                        index: index,
                        journal.capabilities,
                        isUntouched: isUntouched
                    )
                    _ = try await part.run()
                }
            }
            try await group.waitForAll()
        }
    }

    /// Sends the request that makes the parts one file.
    ///
    /// - Returns: The response: a success, or that the server does not have a part any more.
    private func join() async throws -> Response {
        let urls = await self.scene.ledger.journal.parts.compactMap(\.url)
        guard let request = try self.scene.dialect.join(self.scene.request, urls, self.scene.source) else {
            throw SessionError.uploadProtocol("the journal has parts, which this protocol has not")
        }
        // The server processes the whole file when it has joined the parts.
        return try await self.repeating(processing: request.method) {
            let response = try await self.scene.exchange(request)
            guard response.status.kind == .successful || UploadPartTransfer.isLost(response) else {
                throw UploadPartTransfer.refusal(response)
            }
            return response
        }
    }

    /// Repeats a request, according to the policy.
    ///
    /// - Parameters:
    ///   - method: The method of a request by which the server processes the whole file; nil for any other request,
    ///     which may be sent twice.
    ///   - work: Sends the request.
    /// - Returns: What it returns.
    /// - Throws: What it throws last; `CancellationError` when the task is cancelled.
    private func repeating<Value: Sendable>(
        processing method: HTTPRequest.Method? = nil,
        _ work: () async throws -> Value
    ) async throws -> Value {
        var patience = self.scene.patience
        while true {
            try await self.scene.pass()
            do {
                return try await work()
            } catch var error as SessionError {
                if let method, self.scene.isUndecided(error) {
                    error.undecidedMethod = method
                    guard self.scene.mayRepeat(method) else { throw error }
                }
                try await patience.wait(after: error, self.scene.request)
            }
        }
    }

    /// The URL of the whole upload.
    private func url(after response: Response?) async -> URL? {
        let parts = await self.scene.ledger.journal.parts
        if parts.count == 1, let url = parts[0].url { return URL(string: url) }
        guard let response, response.status.kind == .successful, let location = response.headers[.location] else {
            return nil
        }
        return RedirectTarget(location, from: response.url ?? self.scene.request.url)?.url
    }

    private func removeSource() throws {
        guard self.scene.upload.removesFile else { return }
        do {
            // What has taken its place meanwhile, for example a directory, was not uploaded.
            try self.scene.source.remove()
        } catch {
            throw SessionError(
                .storageFailed,
                reason: "the file was uploaded, and could not be removed; the same upload tries that again",
                underlying: error,
                isRequestSent: true
            )
        }
    }
}

extension UploadLedger {
    /// Opens the journal of a file's upload.
    init(
        _ source: UploadSource,
        to request: Request,
        _ upload: ResumableUpload,
        _ dialect: any UploadDialect,
        _ call: Call
    ) throws {
        let place = try UploadJournalPlace(source.url, request.url, upload, dialect)
        var fresh = UploadJournal(
            target: RequestTarget.redacted(request.url),
            dialect: dialect.name,
            source: source.identity,
            parts: [.init(from: 0, to: source.byteCount, url: nil, offset: 0)]
        )
        do {
            try self.init(
                at: place.location,
                name: place.name,
                fresh: fresh,
                isSame: { journal in
                    if journal.source == source.identity { return true }
                    guard let digest = journal.digest, journal.source.byteCount == source.byteCount else {
                        return false
                    }
                    fresh.digest = try source.sha256()
                    return fresh.digest == digest
                },
                call: call
            )
        } catch let error as SystemError {
            throw SessionError(ofUploadJournal: error)
        }
    }
}

/// The location of an upload's journal: its folder, and a name derived from the file, the URL and the protocol.
struct UploadJournalPlace {
    let location: FileLocation
    let name: String

    init(_ file: URL, _ url: URL, _ upload: ResumableUpload, _ dialect: any UploadDialect) throws(SessionError) {
        let path = file.standardizedFileURL.path(percentEncoded: false)
        let folder = upload.journalDirectory ?? file.standardizedFileURL.deletingLastPathComponent()
        let name = file.lastPathComponent
        guard folder.isFileURL, !name.utf8.contains(0),
            let location = FileLocation(
                path: folder.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false)
            )
        else { throw SessionError(.storageFailed, reason: "the journal of the upload has no folder that it can be in") }
        self.location = location
        let key = "\(path)\n\(RequestTarget.redacted(url))\n\(dialect.name)"
        let digest = SHA256.hash(data: Data(key.utf8)).prefix(8).map { UInt64($0) }.reduce(0) { $0 << 8 | $1 }
        self.name = PartialFile.name(for: location, ending: ".\(String(digest, radix: 16)).bluebonnet-upload")
    }
}

extension UploadSource {
    fileprivate func sha256() throws -> ContentDigest {
        try ContentDigest(.sha256, bytes: self.digest(of: 0..<self.byteCount, with: SHA256.self))
    }
}

extension ResumableUpload {
    /// The dialect of the protocol.
    var dialect: any UploadDialect {
        switch self.kind {
        case .tus(let options): TusDialect(options: options)
        case .draft(let version): DraftDialect(version: version)
        }
    }
}

extension Request {
    /// The same request without the body.
    var withoutBody: Request {
        var request = self
        request.body = .none
        return request
    }
}
