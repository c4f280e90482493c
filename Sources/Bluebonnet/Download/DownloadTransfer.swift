// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore

/// One download: its requests, and what each response means for the bytes received so far.
struct DownloadTransfer: ~Copyable {
    /// What to do with a response.
    enum Next {
        /// Write its body.
        case write
        /// Write its body, and those of further requests, to these pieces; the first piece begins where the body does.
        case divide(DownloadPieces, DownloadJournal)
        /// Request the whole; this response cannot be used.
        case askAgain
        /// The bytes received so far are the whole.
        case finish
    }

    let plan: DownloadPlan
    private var storage: DownloadStorage
    /// What the current request asks for; nil for the whole.
    private var point: ResumePoint?
    /// The bytes of an earlier download, as far as they are in the file.
    private var resumedByteCount: Int64 = 0
    /// Whether a response of this download was followed by one for the rest.
    private var hasGoneOn = false
    private var restart: DownloadRestart?
    /// The head of the response that began the file in this call, with the fields of those that continued it.
    private var head: DownloadHead?
    /// The end of the current body, and that of the file; nil if unknown.
    private var end: Int64?
    private var byteCount: Int64?

    /// Inspects the destination, and what an earlier download has left there.
    ///
    /// - Throws: `SessionError`; `CancellationError`.
    init(_ plan: DownloadPlan) throws {
        self.plan = plan
        self.storage = try DownloadStorage(plan)
        self.point = self.storage.point
        if plan.resumeData != nil, self.point == nil { self.restart = .lost }
    }

    /// The request to send: for the rest, if there is something to continue.
    var request: Request {
        var request = self.plan.request
        self.point?.ask(&request.headers)
        return request
    }

    // MARK: Response

    /// Decides what to do with a response, and prepares the file for it.
    mutating func accept(_ response: StreamedResponse, _ call: Call) async throws -> Next {
        call.handling.monitor?.requestEnded(call.originalRequest)
        guard let point else { return try await self.acceptWhole(response, call) }
        switch ResumeVerdict(response, to: point, acceptsOtherSource: self.plan.policy.digest != nil) {
        case .append(let last, let byteCount):
            try await self.validate(response, as: .ok, isRest: true, call)
            return try self.append(response, to: point, upTo: last, of: byteCount, call)
        case .isComplete:
            try self.complete(at: point, call)
            return .finish
        case .askAgain(let reason):
            self.startOver(because: reason, call)
            return .askAgain
        case .startOver(let reason):
            self.startOver(because: reason, call)
            return try await self.acceptWhole(response, call)
        case .otherSuccess:
            // Refused even if the validation accepts the status: the bytes received so far would be lost for a body that
            // is not the file.
            let error = SessionError(
                .unacceptableStatus,
                reason: "status \(response.status.code) is neither the rest of the file nor the whole of it",
                isRequestSent: true
            )
            throw try await self.explain(error, with: response, call)
        case .unrelated:
            try await self.validate(response, as: response.status, call)
            // The caller's validation accepts it all the same, so it is the wanted response.
            self.startOver(because: .changed, call)
            return try await self.acceptWhole(response, call)
        }
    }

    /// Discards the bytes received so far: from now on the whole is requested, in one response.
    mutating func startOver(because reason: DownloadRestart, _ call: Call) {
        self.point = nil
        self.storage.forgetPoint()
        self.resumedByteCount = 0
        self.restart = reason
        call.tell(.download(.restarted(reason)))
    }

    // MARK: Several responses

    /// Whether the response is complete as announced, but the file continues after it, or may do so.
    ///
    /// A part of a whole of unknown length may be any part of it: the request for the rest finds out.
    var isShort: Bool {
        mutating get {
            guard let end, self.point != nil, self.storage.byteCount == end else { return false }
            return self.byteCount.map { end < $0 } ?? true
        }
    }

    /// The error if the file has another length than announced; nil if it has that one, or none was announced.
    ///
    /// A part of a whole of unknown length announces where it ends, which the end of the connection does not show.
    mutating func shortfall(_ response: StreamedResponse) -> SessionError? {
        guard let announced = self.byteCount ?? self.end, let count = self.storage.byteCount, count != announced else {
            return nil
        }
        return self.incomplete("the response announced \(announced) bytes, and there are \(count)", response)
    }

    /// The number of received bytes that another request can continue after.
    var keptByteCount: Int64 {
        mutating get { self.plan.mayAskForParts ? self.storage.keptByteCount : 0 }
    }

    /// Verifies a part that has arrived as announced, and determines where the next request continues.
    ///
    /// - Parameter trailers: The trailers of the part's body.
    /// - Throws: `SessionError`; `CancellationError` when the task is cancelled.
    mutating func goOn(afterPartWith trailers: HTTPFields?) throws {
        if let point {
            let late = self.digests(in: trailers ?? HTTPFields())
            try self.storage.verifyPart(late, at: point.offset)
        }
        try self.goOn()
    }

    /// Determines where the next request continues: after the received bytes, if those can be told from others.
    ///
    /// - Throws: `SessionError`; `CancellationError` when the task is cancelled.
    mutating func goOn() throws {
        self.hasGoneOn = true
        self.point = self.plan.mayAskForParts ? try self.storage.breakPoint() : nil
    }

    /// Accepts the bytes at hand as the whole.
    private mutating func complete(at point: ResumePoint, _ call: Call) throws {
        let byteCount = point.offset
        try self.check(byteCount)
        if !self.hasGoneOn { self.resumedByteCount = byteCount }
        self.byteCount = byteCount
        // The header fields of the response describe an error, and not the file.
        if self.head == nil { self.head = DownloadHead(point.journal) }
        _ = try self.storage.change { try $0.proceed(at: byteCount, verifying: [], part: []) }
        call.handling.monitor?.download.begin(total: byteCount, completed: byteCount)
        call.tell(.download(.resumed(at: byteCount, of: byteCount)))
    }

    private mutating func append(
        _ response: StreamedResponse,
        to point: ResumePoint,
        upTo last: Int64,
        of byteCount: Int64?,
        _ call: Call
    ) throws -> Next {
        let (end, length) = (last + 1, last + 1 - point.offset)
        // The bytes of a shorter body are kept; that it was short is known at its end, if not before.
        if let expected = response.body.expectedLength, expected > length {
            throw self.incomplete("the part announced has \(length) bytes, its body \(expected)")
        }
        let total = byteCount ?? point.journal.byteCount
        try self.check(total ?? end)
        if !self.hasGoneOn { self.resumedByteCount = point.byteCount }
        (self.end, self.byteCount) = (end, total)
        if self.head == nil {
            self.head = DownloadHead(response, coding: point.journal.contentEncoding)
        } else {
            self.head?.add(response)
        }
        let digests = self.digests(in: response.headers)
        let smallest = self.plan.policy.smallestRangeByteCount
        var pieces: DownloadPieces?
        if let total,
            point.hasHoles || (end == total && self.plan.mayDivide(response, missing: total - point.byteCount))
        {
            pieces = try self.storage.change { partial in
                try partial.divide(total, point.spans, smallest, verifying: digests.representation)
            }
        }
        if pieces == nil {
            _ = try self.storage.change { partial in
                try partial.proceed(at: point.offset, verifying: digests.representation, part: digests.content)
            }
        }
        call.handling.monitor?.download.begin(total: total, completed: point.byteCount)
        call.tell(.download(.resumed(at: point.offset, of: total)))
        return pieces.map { .divide($0, point.journal) } ?? .write
    }

    private mutating func acceptWhole(_ response: StreamedResponse, _ call: Call) async throws -> Next {
        try await self.validate(response, as: response.status, call)
        if response.status == .partialContent, !self.plan.request.headers.contains(.range) {
            throw self.incomplete("the server sent a part of the file that was not asked for")
        }
        self.head = DownloadHead(response)
        let length = response.body.expectedLength ?? Self.byteCount(ofPartIn: response)
        if let length { try self.check(length) }
        let hadPlace = self.storage.place != nil
        try self.storage.open(for: response)
        // A destination that was decided only now may have a file to continue.
        if !hadPlace, let point = self.storage.point {
            if point.fits(response) {
                self.point = point
                return .askAgain
            }
            self.startOver(because: .changed, call)
        }
        (self.end, self.byteCount) = (length, length)
        call.handling.monitor?.download.begin(total: length)
        return try self.begin(response, length)
    }

    /// The length of the only part in a response to the caller's own Range field; nil if it says nothing of it.
    private static func byteCount(ofPartIn response: StreamedResponse) -> Int64? {
        guard response.status == .partialContent, !response.headers.contains(.contentEncoding),
            case .part(let range, _) = ContentRange(response.headers), range.upperBound < .max
        else { return nil }
        return range.upperBound - range.lowerBound + 1
    }

    private mutating func begin(_ response: StreamedResponse, _ length: Int64?) throws -> Next {
        let digests = self.digests(in: response.headers)
        let journal = self.plan.request.headers.contains(.range) ? nil : DownloadJournal(response, byteCount: length)
        let isKept = self.plan.mayResume
        let expected = [self.plan.policy.digest].compactMap { $0 } + digests.representation + digests.content
        _ = try self.storage.change { try $0.begin(journal, isKept: isKept, verifying: expected) }
        // If an earlier download's bytes could not be used, one response delivers the whole, which cannot change
        // midway.
        guard let journal, let length, self.restart == nil || self.restart == .lost,
            self.plan.mayDivide(response, missing: length)
        else { return .write }
        let smallest = self.plan.policy.smallestRangeByteCount
        return try self.storage.change { try $0.divide(length, [], smallest, verifying: []) }
            .map { .divide($0, journal) } ?? .write
    }

    /// The digests in a response's header or trailers that the policy verifies.
    ///
    /// If the caller has requested a range, the file is a part: the digest of the whole does not apply to it (RFC 9530
    /// section 3).
    private func digests(in fields: HTTPFields) -> DigestFields {
        var digests = DigestFields(self.plan.policy.verifiesResponseDigests ? fields : HTTPFields())
        if self.plan.request.headers.contains(.range) { digests.representation = [] }
        return digests
    }

    // MARK: Bytes

    /// Writes bytes of the body.
    mutating func write(_ buffer: ByteBuffer, _ call: Call) throws {
        let count = buffer.readableBytes
        let total = (self.storage.byteCount ?? 0) + Int64(count)
        if let end, total > end {
            self.storage.discard()
            throw self.incomplete("the body has more bytes than the \(end) announced")
        }
        try self.check(total)
        _ = try self.storage.change { partial in try buffer.withUnsafeReadableBytes { try partial.write($0) } }
        call.handling.monitor?.download.add(count)
        call.tell(.download(.wrote(count, total: total, of: self.byteCount)))
    }

    /// Verifies the file and moves it to its destination.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - trailers: The trailers of its body, if that was written to the file directly.
    ///   - call: The call.
    /// - Returns: The file.
    /// - Throws: `SessionError`; `CancellationError` when the task is cancelled.
    mutating func finish(
        _ response: StreamedResponse,
        trailers: HTTPFields? = nil,
        _ call: Call
    ) throws -> DownloadedFile {
        guard let place = self.storage.place, let count = self.storage.byteCount else {
            throw self.incomplete("there is no file")
        }
        if let error = self.shortfall(response) { throw error }
        let late = self.digests(in: trailers ?? HTTPFields())
        let verified = try self.storage.verify(late, ofBodyAt: self.point?.offset ?? 0)
        // This is the last moment at which a cancelled download leaves nothing behind.
        try Task.checkCancellation()
        try self.storage.move(call)
        call.tell(.download(.finished(place.url, byteCount: count)))
        let last = response.response(body: Data())
        var file = DownloadedFile(url: place.url, byteCount: count, response: self.head?.heading(last) ?? last)
        file.resumedOffset = self.resumedByteCount
        file.restart = self.restart
        file.verifiedDigests = verified
        return file
    }

    /// The error for the caller, with what is left of the file.
    ///
    /// - Parameters:
    ///   - error: The error that ended the download.
    ///   - isKept: Whether the bytes are kept even if the policy does not say so.
    /// - Returns: The error, and what is left.
    mutating func failure(_ error: any Error, isKept: Bool) -> (error: any Error, remains: DownloadRemains?) {
        let remains = self.storage.settle(after: error, isKept: isKept)
        guard var failure = error as? SessionError else { return (error, remains) }
        failure.downloadRemains = remains
        return (failure, remains)
    }

    // MARK: Refusals

    private mutating func check(_ byteCount: Int64) throws(SessionError) {
        guard let limit = self.plan.policy.maximumByteCount, byteCount > limit else { return }
        self.storage.discard()
        throw SessionError(
            .responseTooLarge,
            reason: "the file has more than the \(limit) bytes that the download's maximumByteCount allows",
            isRequestSent: true
        )
    }

    private func incomplete(_ reason: String, _ response: StreamedResponse? = nil) -> SessionError {
        SessionError(
            .incompleteDownload,
            reason: reason,
            response: response?.response(body: Data()),
            isRequestSent: true
        )
    }

    /// - Throws: The error for a head that is not accepted, with the beginning of its body, which often explains it.
    private func validate(
        _ response: StreamedResponse,
        as status: HTTPResponse.Status,
        isRest: Bool = false,
        _ call: Call
    ) async throws {
        var validation = self.plan.policy.validation
        // RFC 9110 section 15.3.7: the rest should not repeat the type, which was accepted with the first bytes.
        if isRest, !response.headers.contains(.contentType) { validation.acceptableContentTypes = nil }
        guard let refusal = validation.refusal(of: response, as: status) else { return }
        throw try await self.explain(refusal, with: response, call)
    }

    /// Adds the response to the error for a head that is not accepted, with the beginning of its body.
    private func explain(
        _ error: SessionError,
        with response: StreamedResponse,
        _ call: Call
    ) async throws -> SessionError {
        try await response.explaining(error, upTo: call.environment.limits.refusedByteCount, call.clock)
    }
}

extension ResumePoint {
    /// Whether the bytes at hand are the beginning of the body of a response to a request for the whole.
    fileprivate func fits(_ response: StreamedResponse) -> Bool {
        guard let other = DownloadJournal(response, byteCount: response.body.expectedLength) else { return false }
        return EntityTag.match(other.entityTag, self.journal.entityTag) && other.source == self.journal.source
            && other.byteCount == self.journal.byteCount && other.contentEncoding == self.journal.contentEncoding
    }
}
