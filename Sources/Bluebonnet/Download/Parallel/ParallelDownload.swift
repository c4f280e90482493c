// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// Receives a file over several responses at a time, once the head of the first one has arrived.
struct ParallelDownload: Sendable {
    /// How the work of one receiver ended.
    enum End: Sendable {
        /// Nothing is left that is worth a request.
        case idle
        /// It was interrupted; the rest of its piece is released.
        case broken(any Error)
        /// The server does not send this part; its piece is released.
        case refused(SessionError)
        /// The server has another representation now.
        case changed(DownloadRestart)
        /// The file cannot be written, or the download was cancelled.
        case fatal(any Error)
    }

    /// How the download ended.
    enum Outcome: Sendable {
        /// Every byte has been received.
        case complete
        /// The server has another representation now, and the received bytes cannot be used.
        case changed(DownloadRestart)
    }

    let session: Session
    let call: Call
    let plan: DownloadPlan
    let journal: DownloadJournal
    let pieces: DownloadPieces
    /// Whether the first response has a shared connection, so that the others need separate connections.
    let usesGroups: Bool
    /// The connection of the first response, on whose event loop the others are made.
    ///
    /// One writer after the other writes the bytes, and one loop keeps up with that; a second loop would take a
    /// processor from the writer.
    let firstConnection: UInt64?

    private let progress = Progress()

    /// The state that the receivers share.
    private final class Progress: Sendable {
        struct State {
            /// The number of responses with bytes, including the first one.
            var responseCount = 1
            var hasRefused = false
            var hasGivenPart = false

            /// Whether the server has refused parts, and sent none.
            var refusesRanges: Bool { self.hasRefused && !self.hasGivenPart }
        }

        let state = Mutex(State())
    }

    init(
        _ plan: DownloadPlan,
        _ journal: DownloadJournal,
        _ pieces: DownloadPieces,
        first response: StreamedResponse,
        _ call: Call,
        _ session: Session
    ) {
        (self.plan, self.journal, self.pieces, self.call, self.session) = (plan, journal, pieces, call, session)
        self.usesGroups = response.metrics.httpVersion == .http2
        self.firstConnection = response.metrics.connectionID
    }

    /// Receives the missing bytes.
    ///
    /// - Parameter response: The first response, whose body is not observed yet: it begins with the first missing byte.
    /// - Returns: How it ended.
    /// - Throws: `SessionError`; `CancellationError`; the error of the last receiver, if bytes are still missing.
    func run(_ response: StreamedResponse) async throws -> Outcome {
        let width = self.plan.policy.parallelism
        return try await withThrowingTaskGroup(of: End.self) { group in
            // Divided before anything is received, so that the parts are of similar size.
            let taken = (0..<width).map { _ in self.pieces.take(now: self.call.clock.now) }
            let offset = taken.first.flatMap { $0 }.map { self.pieces.gap($0).lowerBound } ?? 0
            var running = 0
            for (slot, piece) in taken.enumerated() {
                guard let piece else { break }
                running += 1
                if slot == 0 { self.pieces.answer(piece) }
                let open = slot == 0 ? OpenPart(response.body, at: offset, upTo: self.end(of: response, offset)) : nil
                group.addTask { await self.receive(piece, open, slot: slot) }
            }
            defer { group.cancelAll() }
            var (failure, failureCount): ((any Error)?, Int) = (nil, 0)
            while let end = try await group.next() {
                running -= 1
                var asksAgain = false
                switch end {
                case .idle: break
                case .changed(let reason): return .changed(reason)
                case .fatal(let error): throw error
                case .refused(let error): failure = failure ?? error
                case .broken(let error):
                    failure = failure ?? error
                    failureCount += 1
                    asksAgain = true
                }
                // A server that refuses parallel requests may accept them once the others have ended.
                if !asksAgain, running == 0, failure != nil {
                    failureCount += 1
                    asksAgain = true
                }
                // The rest is requested again, but not forever.
                guard asksAgain, failureCount < width, let piece = self.pieces.take(now: self.call.clock.now) else {
                    continue
                }
                running += 1
                let slot = width + failureCount
                group.addTask { await self.receive(piece, nil, slot: slot) }
            }
            guard self.pieces.isComplete else { throw failure ?? Self.incomplete("no response brought the rest") }
            return .complete
        }
    }

    /// The number of responses that have delivered bytes.
    var responseCount: Int { self.progress.state.withLock { $0.responseCount } }

    /// Where the first response ends.
    private func end(of response: StreamedResponse, _ offset: Int64) -> Int64 {
        // A part may end before the file, and need not have a Content-Length (RFC 9110 section 15.3.7).
        if response.status == .partialContent, case .part(let range, _) = ContentRange(response.headers) {
            return range.upperBound + 1
        }
        return response.body.expectedLength.map { offset + $0 } ?? self.journal.byteCount ?? .max
    }

    // MARK: One receiver

    /// Receives pieces one after the other, until none is left.
    private func receive(_ first: PieceTable.Claim, _ open: OpenPart?, slot: Int) async -> End {
        var (piece, part) = (first, open)
        while true {
            if part == nil {
                // Another receiver may have been faster and left nothing to request.
                if let gap = self.pieces.gap(of: piece) {
                    switch await self.ask(for: gap, slot: slot) {
                    case .part(let opened): part = opened
                    case .end(let end):
                        self.pieces.release(piece)
                        return end
                    }
                }
                guard self.pieces.answer(piece) else {
                    // The rest of the other receiver's piece may be divided.
                    part?.body.abandon()
                    part?.call?.finish(.cancelled)
                    part = nil
                    guard let next = self.pieces.take(now: self.call.clock.now) else { return .idle }
                    piece = next
                    continue
                }
                self.progress.state.withLock { $0.responseCount += 1 }
            }
            do {
                try await self.copy(&part, to: piece, in: self.pieces.writeTurn)
            } catch {
                self.pieces.release(piece)
                return self.end(of: part, error)
            }
            guard let next = await self.next(after: piece, &part) else { return .idle }
            piece = next
        }
    }

    /// The end of a receiver whose response could not be copied.
    private func end(of part: OpenPart?, _ error: any Error) -> End {
        let isStorage = error is SystemError
        let error = (error as? SystemError).map { SessionError($0) } ?? error
        let failure = self.call.wrapping(error, of: self.plan.request)
        _ = part?.call?.fail(failure, source: .transport)
        return isStorage || failure is CancellationError ? .fatal(failure) : .broken(failure)
    }

    /// The largest number of bytes received again, to avoid ending a response and requesting another.
    private static var longestSkip: Int64 { 1024 * 1024 }

    /// The next piece: with the same response if it continues there, and with another one otherwise.
    private func next(after piece: PieceTable.Claim, _ part: inout OpenPart?) async -> PieceTable.Claim? {
        self.pieces.release(piece)
        let refusesRanges = self.progress.state.withLock { $0.refusesRanges }
        let now = self.call.clock.now
        if let open = part, open.position < open.end {
            let skip = refusesRanges ? .max : Self.longestSkip
            if let next = self.pieces.take(behind: piece, longestSkip: skip, now: now) { return next }
            open.body.abandon()
        } else {
            // Only the end of the response is left; reading it allows its connection to be reused.
            await part?.body.discard(upTo: 0)
        }
        part?.call?.finish(.completed)
        part = nil
        return refusesRanges ? nil : self.pieces.take(now: now)
    }

    /// The number of buffers of one response that are written before those of another.
    private static var longestTurn: Int { 64 }

    /// Writes the body of a response to a piece, until the piece is complete or the response ends as announced.
    private func copy(
        _ part: inout OpenPart?,
        to piece: PieceTable.Claim,
        in turn: isolated DownloadPieces.WriteTurn
    ) async throws {
        var bufferCount = 0
        while true {
            bufferCount += 1
            // A response that is faster than the file never makes the writer wait, and would keep the turn to the end.
            if bufferCount.isMultiple(of: Self.longestTurn) { await Task.yield() }
            let gap = self.pieces.gap(piece)
            guard !gap.isEmpty else { return }
            if let gate = self.call.handling.gate { try await self.call.pass(gate) }
            guard var buffer = try await part?.next() else {
                // A server may send less than requested (RFC 9110 section 15.3.7). A part has at least one byte, so the
                // next request for this piece begins later.
                if let part, part.position == part.end { return }
                throw Self.incomplete("the response ended before the part that it announced")
            }
            let position = part?.position ?? gap.lowerBound
            let skipped = min(max(gap.lowerBound - position, 0), Int64(buffer.readableBytes))
            buffer.moveReaderIndex(forwardBy: Int(skipped))
            part?.position += skipped
            let written = try buffer.withUnsafeReadableBytes { try self.pieces.write($0, to: piece) }
            part?.position += Int64(written.count)
            buffer.moveReaderIndex(forwardBy: written.count)
            part?.rest = buffer.readableBytes > 0 ? buffer : nil
            if written.isDue { try await self.pieces.synchronize() }
            guard written.count > 0 else { continue }
            self.call.handling.monitor?.download.add(written.count)
            let total = self.journal.byteCount
            self.call.tell(.download(.wrote(written.count, total: written.total, of: total)))
        }
    }

    // MARK: Requests

    private enum Answer {
        case part(OpenPart)
        case end(End)
    }

    /// Requests the missing range of a piece, in a separate call.
    private func ask(for gap: Range<Int64>, slot: Int) async -> Answer {
        do { try await self.call.waitWhileSuspended() } catch { return .end(self.end(of: nil, error)) }
        let point = ResumePoint(self.journal, gap: gap)
        var request = self.plan.request
        point.ask(&request.headers)
        if self.usesGroups { request.transportOptions.connectionGroup = slot }
        request.transportOptions.loopOfConnection = self.firstConnection
        var handling = CallHandling()
        handling.decodesContent = false
        handling.heldByteCount = self.call.handling.heldByteCount
        let nested = self.call.makeNested(request, handling, limit: self.call.remaining)
        nested.tell(.callStarted)
        do {
            let response = try await self.session.pass(request, of: nested)
            let answer = self.judge(response, point, nested)
            if case .end = answer {
                await nested.discard(response.body)
                nested.finish(.completed)
            }
            return answer
        } catch {
            let error = nested.fail(self.call.restating(error), source: .interceptor)
            return .end(error is CancellationError ? .fatal(error) : .broken(error))
        }
    }

    private func judge(_ response: StreamedResponse, _ point: ResumePoint, _ call: Call) -> Answer {
        let acceptsOtherSource = self.plan.policy.digest != nil
        switch ResumeVerdict(response, to: point, acceptsOtherSource: acceptsOtherSource) {
        case .append(let last, _):
            let length = last + 1 - point.offset
            guard response.body.expectedLength ?? length == length else {
                return self.refuse("the part announced has \(length) bytes, its body another number", response)
            }
            self.progress.state.withLock { $0.hasGivenPart = true }
            return .part(OpenPart(response.body, at: point.offset, upTo: last + 1, call))
        case .startOver(.rangeIgnored): return self.refuse("the server ignores ranges", response)
        case .askAgain(.invalidPart): return self.refuse("the server sent another part than was asked for", response)
        case .askAgain(.otherSource):
            return self.refuse("another URL answered than the one of the first part", response)
        case .startOver(let reason), .askAgain(let reason): return .end(.changed(reason))
        case .isComplete, .otherSuccess, .unrelated:
            return self.refuse("the server refused a part of the file", response, .unacceptableStatus)
        }
    }

    /// Stops requesting parts in this receiver; only those of the others and the first response follow.
    private func refuse(
        _ reason: String,
        _ response: StreamedResponse,
        _ code: SessionError.Code = .incompleteDownload
    ) -> Answer {
        self.progress.state.withLock { $0.hasRefused = true }
        var error = Self.incomplete(reason)
        error.code = code
        error.response = response.response(body: .init())
        return .end(.refused(error))
    }

    private static func incomplete(_ reason: String) -> SessionError {
        SessionError(.incompleteDownload, reason: reason, isRequestSent: true)
    }
}

/// A response that is being written to the file.
struct OpenPart: Sendable {
    let body: ResponseBody
    /// The position of the next byte.
    var position: Int64
    /// Where the response ends.
    let end: Int64
    /// The call that it belongs to; nil for the first response, whose call is the download's.
    let call: Call?
    /// Received bytes that belong after the previous piece.
    var rest: ByteBuffer?

    init(_ body: ResponseBody, at position: Int64, upTo end: Int64, _ call: Call? = nil) {
        (self.body, self.position, self.end, self.call) = (body, position, end, call)
    }

    /// The next bytes, none of them beyond the announced end; nil at the end.
    mutating func next() async throws -> ByteBuffer? {
        if let rest = self.rest.take() { return rest }
        guard self.position < self.end else { return nil }
        var iterator = self.body.makeAsyncIterator()
        guard var buffer = try await iterator.next() else { return nil }
        let left = self.end - self.position
        if Int64(buffer.readableBytes) > left { buffer = buffer.readSlice(length: Int(left)) ?? buffer }
        return buffer
    }
}
