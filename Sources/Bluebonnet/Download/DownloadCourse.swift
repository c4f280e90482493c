// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// The successive requests of one download, until the file is complete.
struct DownloadCourse: ~Copyable {
    private let session: Session
    private let call: Call
    private var transfer: DownloadTransfer
    private var patience: TransferPatience
    /// The number of successive unusable responses.
    private var uselessCount = 0
    /// The number of responses that have been written to the file since it was begun.
    private var responseCount = 0
    /// The largest number of bytes received when another request was needed.
    private var largestByteCount: Int64 = 0

    /// How often in a row a server may contradict itself about the rest and about the whole.
    private static var largestUselessCount: Int { 4 }

    init(_ transfer: consuming DownloadTransfer, _ call: Call, _ session: Session) {
        let policy = call.originalRequest.retries ?? session.configuration.retries
        self.patience = TransferPatience(policy, call, session.retryAccount)
        self.transfer = transfer
        self.call = call
        self.session = session
    }

    /// Sends requests until the file is at its destination.
    ///
    /// - Throws: Anything; see ``failure(_:isKept:)``.
    mutating func run() async throws -> DownloadedFile {
        var response = try await self.session.run(self.call)
        while true {
            let observed = response.observed(by: self.call, ending: .later)
            if let file = try await self.receive(response, observed) { return file }
            try await self.call.waitWhileSuspended()
            response = try await self.session.pass(self.transfer.request, of: self.call)
        }
    }

    /// The error for the caller, with what is left of the file.
    mutating func failure(_ error: any Error, isKept: Bool) -> (error: any Error, remains: DownloadRemains?) {
        self.transfer.failure(error, isKept: isKept)
    }

    /// Processes a response.
    ///
    /// - Returns: The file, if it is complete; nil if another request is to be sent.
    private mutating func receive(
        _ response: StreamedResponse,
        _ observed: StreamedResponse
    ) async throws -> DownloadedFile? {
        let next = try await self.transfer.accept(observed, self.call)
        // The previous bytes have been dropped, if there were any, and with them the count of their responses.
        if self.transfer.keptByteCount == 0 { self.responseCount = 0 }
        switch next {
        case .write: return try await self.write(observed)
        case .divide(let pieces, let journal):
            return try await self.receive(response, in: pieces, of: journal, observed)
        case .finish:
            await self.discard(observed)
            return try self.finish(observed)
        case .askAgain:
            try await self.askAgain(insteadOf: observed)
            return nil
        }
    }

    /// Writes the body of a response.
    private mutating func write(_ response: StreamedResponse) async throws -> DownloadedFile? {
        self.responseCount += 1
        do {
            for try await buffer in response.body { try self.transfer.write(buffer, self.call) }
        } catch {
            try await self.goOn(after: error)
            return nil
        }
        // A server may send less than requested (RFC 9110 section 15.3.7). A part has at least one byte, so the next
        // request begins later than this one, even if an earlier version of the file had more bytes.
        if self.transfer.isShort {
            _ = self.hasProgressed()
            try self.transfer.goOn(afterPartWith: response.body.trailers)
            return nil
        }
        if let error = self.transfer.shortfall(response) {
            try await self.goOn(after: error)
            return nil
        }
        return try self.finish(response, trailers: response.body.trailers)
    }

    /// Receives the body of a response in parallel with others.
    private mutating func receive(
        _ response: StreamedResponse,
        in pieces: DownloadPieces,
        of journal: DownloadJournal,
        _ observed: StreamedResponse
    ) async throws -> DownloadedFile? {
        let download = ParallelDownload(self.transfer.plan, journal, pieces, first: response, self.call, self.session)
        let outcome: ParallelDownload.Outcome
        do {
            outcome = try await download.run(response)
        } catch {
            self.responseCount += download.responseCount
            try await self.goOn(after: observed.bodyFailure(error))
            return nil
        }
        self.responseCount += download.responseCount
        switch outcome {
        case .complete: return try self.finish(observed)
        case .changed(let reason):
            self.transfer.startOver(because: reason, self.call)
            try await self.askAgain(insteadOf: observed)
            return nil
        }
    }

    /// Verifies the file and moves it to its destination.
    private mutating func finish(
        _ response: StreamedResponse,
        trailers: HTTPFields? = nil
    ) throws -> DownloadedFile {
        var file = try self.transfer.finish(response, trailers: trailers, self.call)
        file.rangeCount = max(1, self.responseCount)
        return file
    }

    // MARK: Another request

    /// Requests another response, because this one cannot be used.
    private mutating func askAgain(insteadOf response: StreamedResponse) async throws {
        self.uselessCount += 1
        guard self.uselessCount < Self.largestUselessCount else {
            throw SessionError(
                .incompleteDownload,
                reason: "the server contradicted itself \(self.uselessCount) times about the part it was asked for",
                isRequestSent: true
            )
        }
        await self.discard(response)
    }

    /// Continues after the received bytes when a response was interrupted, if the retry policy allows it.
    ///
    /// - Throws: The error, if it does not.
    private mutating func goOn(after error: any Error) async throws {
        let request = self.call.originalRequest
        guard let failure = error as? SessionError, self.patience.policy.methods.contains(request.method),
            request.body.isReplayable
        else { throw error }
        if self.hasProgressed() { self.patience.progressed() }
        try await self.patience.wait(after: failure, request)
        self.call.beginAttempt()
        try self.transfer.goOn()
    }

    /// Whether more bytes have been received than ever before: repeated restarts are no progress.
    private mutating func hasProgressed() -> Bool {
        let byteCount = self.transfer.keptByteCount
        guard byteCount > self.largestByteCount else { return false }
        self.largestByteCount = byteCount
        self.uselessCount = 0
        return true
    }

    private func discard(_ response: StreamedResponse) async {
        await self.call.discard(response.body)
    }
}
