// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The state that all requests of an upload share.
struct UploadScene: Sendable {
    let session: Session
    /// The caller's request, without a body.
    let request: Request
    let upload: ResumableUpload
    let dialect: any UploadDialect
    let source: UploadSource
    let ledger: UploadLedger
    /// The call of the upload; its requests have separate calls.
    let call: Call
    let retryAccount: RetryAccount?

    var clock: SessionClock { self.session.configuration.clock }

    var patience: TransferPatience {
        let policy = self.request.retries ?? self.session.configuration.retries
        return TransferPatience(policy, self.call, self.retryAccount, alsoAfter: Self.isPassing)
    }

    /// Whether a request of an upload may succeed later, whatever the policy says: a server may still hold the lock of the
    /// last request, and bytes damaged in transmission are sent again.
    static func isPassing(_ error: SessionError) -> Bool {
        error.code == .unacceptableStatus && error.status?.code == Self.locked || error.code == .digestMismatch
    }

    /// 423 Locked (RFC 4918 section 11.3).
    private static let locked = 423

    /// The statuses of requests that were not processed: 408 Request Timeout, 423, 425 Too Early (RFC 8470) and 429 Too
    /// Many Requests (RFC 6585).
    private static let unprocessed: Set<Int> = [408, locked, 425, 429]

    /// Whether a server may have processed a request that has failed.
    func isUndecided(_ error: SessionError) -> Bool {
        // A piece that was damaged in transmission is not taken.
        guard error.isRequestSent, error.code != .digestMismatch else { return false }
        return error.refusedResponse.map { !Self.unprocessed.contains($0.status.code) } ?? true
    }

    /// Whether a request that a server may have processed can be sent again (RFC 9110 section 9.2.2).
    func mayRepeat(_ method: HTTPRequest.Method) -> Bool {
        let policy = self.request.retries ?? self.session.configuration.retries
        return policy.methods.contains(method)
    }

    /// Waits while the task is suspended.
    func pass() async throws {
        try Task.checkCancellation()
        try await self.call.handling.gate?.pass()
    }

    /// A request to the URL of an upload; if that has another origin, only the caller's harmless fields are sent.
    func request(to url: String) throws(SessionError) -> Request {
        guard let target = RedirectTarget(url, from: self.request.url) else {
            throw .uploadProtocol("the server has given the upload a URL that cannot be used")
        }
        guard !target.isDowngrade else {
            throw SessionError(
                .redirectRefused,
                reason: "the server has given an upload that came over https an http URL"
            )
        }
        return try self.request.following(target, home: self.session.home)
    }

    /// Sends a request of the upload and waits for its response, whatever its status.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - record: Records which request is under way, after redirects; nil if nobody wants to know.
    /// - Returns: The response to this request: a redirect that would drop the body is not followed.
    /// - Throws: `SessionError`; `CancellationError`.
    func exchange(_ request: Request, _ record: TaskRecord? = nil) async throws -> Response {
        var request = request
        request.keepsMethod = true
        // The upload decides what is sent again, after asking how much has arrived.
        request.retries = RetryPolicy.never
        self.retryAccount?.deposit(at: self.clock.now)
        let byteCount = self.session.configuration.limits.responseByteCount
        var handling = self.session.handling().collecting(byteCount)
        // The upload holds the session: its next request is not a new call.
        handling.isUnderWay = true
        handling.record = record
        return try await self.session.streamed(request, handling).response(upTo: byteCount)
    }

    /// Sends a piece, and records the server's informational responses meanwhile (104 Upload Resumption Supported).
    func exchange(_ request: Request, ofPart index: Int) async throws -> Response {
        let (inbox, dialect, record) = (UploadInbox(), self.dialect, TaskRecord(request))
        var request = request
        let before =
            request.transportOptions.onInformational
            ?? self.session.configuration.transportOptions.onInformational
        // The record keeps the request, and so this closure and the file of the body: it must not be kept in turn.
        request.transportOptions.onInformational = { [weak record] status, fields in
            before?(status, fields)
            // After a redirect it is the response to another request.
            guard let record, dialect.tellsOfUpload(status, fields) else { return }
            inbox.put(fields, from: record.request.url)
        }
        let outgoing = request
        let result = await withTaskGroup(of: Void.self, returning: Result<Response, any Error>.self) { group in
            group.addTask {
                for await _ in inbox.signals { try? await self.note(inbox.take(), ofPart: index) }
            }
            let result: Result<Response, any Error>
            do { result = .success(try await self.exchange(outgoing, record)) } catch { result = .failure(error) }
            inbox.close()
            return result
        }
        // Responses that came with the last byte, and those that a cancelled task did not handle.
        try await self.note(inbox.take(), ofPart: index)
        return try result.get()
    }

    private func note(_ heads: [UploadInbox.Head], ofPart index: Int) async throws {
        let from = await self.ledger.journal.parts[index].from
        for (headers, url) in heads {
            // Relative to the request that it answers (RFC 9110 section 10.2.2).
            if let location = headers[.location], let target = RedirectTarget(location, from: url) {
                try await self.ledger.created(target.url, ofPart: index)
            }
            // Without a URL there is nothing to continue: the next creation begins with the first byte.
            if let offset = headers.byteCount(.offset), await self.ledger.journal.parts[index].url != nil {
                try await self.ledger.acknowledge(from + offset, ofPart: index)
            }
        }
    }
}

/// Passes informational responses from an event loop to the task of the upload.
private final class UploadInbox: Sendable {
    /// The fields of a response, and the URL of the request that it answers.
    typealias Head = (headers: HTTPFields, url: URL)

    private let heads = Mutex<[Head]>([])
    let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (self.signals, self.continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The engine limits their number.
    func put(_ headers: HTTPFields, from url: URL) {
        self.heads.withLock { $0.append((headers, url)) }
        self.continuation.yield()
    }

    func take() -> [Head] {
        self.heads.withLock { heads in
            defer { heads = [] }
            return heads
        }
    }

    func close() { self.continuation.finish() }
}
