// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Synchronization

/// What every request of an upload has in common.
struct UploadScene: Sendable {
    let session: Session
    /// The request of the caller, without a body.
    let request: Request
    let upload: ResumableUpload
    let dialect: any UploadDialect
    let source: UploadSource
    let ledger: UploadLedger
    /// The call of the upload; those of its requests are calls of their own.
    let call: Call
    let retryAccount: RetryAccount?

    var clock: SessionClock { self.session.configuration.clock }

    var patience: TransferPatience {
        let policy = self.request.retries ?? self.session.configuration.retries
        return TransferPatience(policy, self.call, self.retryAccount) { error in
            // A server may still hold the lock of the last request; and what did not arrive as it was sent is sent again.
            error.code == .unacceptableStatus && error.status?.code == Self.locked || error.code == .digestMismatch
        }
    }

    /// 423 Locked (RFC 4918 section 11.3).
    private static let locked = 423

    /// Waits while the task is suspended.
    func pass() async throws {
        try Task.checkCancellation()
        try await self.call.handling.gate?.pass()
    }

    /// A request to the URL of an upload, which may have another origin: then only harmless fields of the caller go there.
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
        return RedirectProposal(.temporaryRedirect, self.request, target, keepsPost: true).request
    }

    /// Sends a request of the upload and waits for its response, whatever its status.
    func exchange(_ request: Request) async throws -> Response {
        var request = request
        // What is sent again is decided for the upload, which asks first how much has arrived.
        request.retries = RetryPolicy.none
        self.retryAccount?.deposit(at: self.clock.now)
        let byteCount = self.session.configuration.limits.responseByteCount
        var handling = self.session.handling().collecting(byteCount)
        // The upload holds the session: its next request is no new call.
        handling.isUnderWay = true
        return try await self.session.streamed(request, handling).response(upTo: byteCount)
    }

    /// Sends a piece, and takes note of what the server says meanwhile (104 Upload Resumption Supported).
    func exchange(_ request: Request, ofPart index: Int) async throws -> Response {
        let (inbox, dialect) = (UploadInbox(), self.dialect)
        var request = request
        let before = request.transport.onInformational ?? self.session.configuration.transportOptions.onInformational
        request.transport.onInformational = { status, fields in
            before?(status, fields)
            if dialect.tellsOfUpload(status, fields) { inbox.put(fields) }
        }
        let outgoing = request
        let result = await withTaskGroup(of: Void.self, returning: Result<Response, any Error>.self) { group in
            group.addTask {
                for await _ in inbox.signals { try? await self.note(inbox.take(), outgoing, ofPart: index) }
            }
            let result: Result<Response, any Error>
            do { result = .success(try await self.exchange(outgoing)) } catch { result = .failure(error) }
            inbox.close()
            return result
        }
        // What came with the last byte, and what a cancelled task did not get to.
        try await self.note(inbox.take(), request, ofPart: index)
        return try result.get()
    }

    private func note(_ heads: [HTTPFields], _ request: Request, ofPart index: Int) async throws {
        let from = await self.ledger.journal.parts[index].from
        for headers in heads {
            if let location = headers[.location], let target = RedirectTarget(location, from: request.url) {
                try await self.ledger.created(target.url, ofPart: index)
            }
            // Without a URL there is nothing that could go on there: the next creation begins with the first byte.
            if let offset = headers.byteCount(.offset), await self.ledger.journal.parts[index].url != nil {
                try await self.ledger.acknowledge(from + offset, ofPart: index)
            }
        }
    }
}

extension HTTPResponse.Status {
    /// Keeps method and fields of a request that goes to another URL.
    fileprivate static let temporaryRedirect = HTTPResponse.Status(code: 307)
}

/// Hands informational responses from an event loop to the task of the upload.
private final class UploadInbox: Sendable {
    private let heads = Mutex<[HTTPFields]>([])
    let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (self.signals, self.continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The engine limits how many there are.
    func put(_ headers: HTTPFields) {
        self.heads.withLock { $0.append(headers) }
        self.continuation.yield()
    }

    func take() -> [HTTPFields] {
        self.heads.withLock { heads in
            defer { heads = [] }
            return heads
        }
    }

    func close() { self.continuation.finish() }
}
