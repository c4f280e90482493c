// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore

/// What is to be downloaded, and how.
struct DownloadPlan: Sendable {
    var request: Request
    var destination: DownloadDestination
    var options: DownloadOptions
    var policy: DownloadPolicy
    var resumeData: DownloadResumeData?

    /// Whether a part of the file may be asked for: not if the request asks for one itself.
    var mayResume: Bool {
        (self.policy.resume == .always || self.resumeData != nil) && self.request.method == .get
            && !self.request.headers.contains(.range)
    }
}

/// One download: what to ask for, what a response means for the bytes at hand, and where the bytes go.
struct DownloadTransfer: ~Copyable {
    /// What to do with a response.
    enum Next: Equatable {
        /// Write its body.
        case write
        /// Ask for the whole; this response is of no use.
        case askAgain
        /// The bytes at hand are the whole.
        case finish
    }

    private let plan: DownloadPlan
    private var place: DownloadPlace?
    private var partial: PartialDownload?
    /// What the request under way asks for; nil for the whole.
    private var point: ResumePoint?
    private var resumedOffset: Int64 = 0
    private var restart: DownloadRestart?
    /// Where the body under way ends, and where the file does; nil where that is not known.
    private var end: Int64?
    private var byteCount: Int64?
    private var isComplete = false

    /// Looks at the destination, and at what an earlier download has left there.
    ///
    /// - Throws: `SessionError`; `CancellationError`.
    init(_ plan: DownloadPlan) throws {
        self.plan = plan
        if let resumeData = plan.resumeData {
            let place = try DownloadPlace(resumeData.destination, options: plan.options)
            self.place = place
            try self.open(place)
            if self.point == nil { self.restart = .lost }
        } else if case .file(let url) = plan.destination {
            let place = try DownloadPlace(url, options: plan.options)
            self.place = place
            if plan.mayResume, place.hasDirectory { try self.open(place) }
        }
    }

    /// The request to send: for the rest, if there is something to continue.
    var request: Request {
        var request = self.plan.request.accepting(self.plan.policy.validation.acceptableContentTypes)
        self.point?.ask(&request.headers)
        return request
    }

    // MARK: Response

    /// Decides what to do with a response, and makes the file ready for it.
    mutating func accept(_ response: StreamedResponse, _ call: Call) async throws -> Next {
        guard let point else { return try await self.acceptWhole(response, call) }
        let verdict = ResumeVerdict(
            status: response.status.code,
            headers: response.headers,
            source: RequestTarget.redacted(response.url),
            to: point,
            acceptsOtherSource: self.plan.policy.digest != nil
        )
        switch verdict {
        case .append(let last, let byteCount):
            try await self.validate(response, as: .ok, call)
            try self.append(response, to: point, upTo: last, of: byteCount, call)
            return .write
        case .isComplete:
            self.resumedOffset = point.offset
            self.byteCount = point.offset
            try self.storing { try $0.proceed(at: point.offset, verifying: [], part: []) }
            return .finish
        case .askAgain(let reason):
            self.note(reason, call)
            return .askAgain
        case .startOver(let reason):
            self.note(reason, call)
            return try await self.acceptWhole(response, call)
        case .unrelated:
            try await self.validate(response, as: response.status, call)
            // Accepted all the same by the validation of the caller: then it is what is wanted.
            self.note(.changed, call)
            return try await self.acceptWhole(response, call)
        }
    }

    private mutating func note(_ reason: DownloadRestart, _ call: Call) {
        self.point = nil
        self.restart = reason
        call.tell(.download(.restarted(reason)))
    }

    private mutating func append(
        _ response: StreamedResponse,
        to point: ResumePoint,
        upTo last: Int64,
        of byteCount: Int64?,
        _ call: Call
    ) throws {
        let (end, length) = (last + 1, last + 1 - point.offset)
        if let expected = response.body.expectedLength, expected != length {
            throw self.incomplete("the part announced has \(length) bytes, its body \(expected)")
        }
        try self.check(byteCount ?? end)
        self.resumedOffset = point.offset
        (self.end, self.byteCount) = (end, byteCount ?? end)
        let digests = self.digests(of: response)
        try self.storing { partial in
            try partial.proceed(at: point.offset, verifying: digests.representation, part: digests.content)
        }
        call.handling.monitor?.download.begin(total: self.byteCount, completed: point.offset)
        call.tell(.download(.resumed(at: point.offset, of: self.byteCount)))
    }

    private mutating func acceptWhole(_ response: StreamedResponse, _ call: Call) async throws -> Next {
        try await self.validate(response, as: response.status, call)
        if response.status == .partialContent, !self.plan.request.headers.contains(.range) {
            throw self.incomplete("the server sent a part of the file that was not asked for")
        }
        let length = response.body.expectedLength
        if let length { try self.check(length) }
        let hadPlace = self.place != nil
        let place = try self.place ?? DownloadPlace(self.decide(response), options: self.plan.options)
        self.place = place
        try place.prepareDirectory()
        if self.partial == nil { try self.open(place) }
        // A destination that was decided only now may have a file to continue.
        if !hadPlace, let point {
            if point.fits(response) { return .askAgain }
            self.note(.changed, call)
        }
        (self.end, self.byteCount) = (length, length)
        let digests = self.digests(of: response)
        let journal = self.plan.request.headers.contains(.range) ? nil : DownloadJournal(response, byteCount: length)
        let isKept = self.plan.mayResume
        let expected = [self.plan.policy.digest].compactMap { $0 } + digests.representation + digests.content
        try self.storing { try $0.begin(journal, isKept: isKept, verifying: expected) }
        return .write
    }

    /// The digests of a response's header, as far as the policy has them verified.
    private func digests(of response: StreamedResponse) -> DigestFields {
        DigestFields(self.plan.policy.verifiesResponseDigests ? response.headers : HTTPFields())
    }

    private func decide(_ response: StreamedResponse) throws -> URL {
        switch self.plan.destination {
        case .file(let url): return url
        case .decided(let decide):
            let name = "bluebonnet-\(UUID().uuidString)"
            return try decide(
                FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .notDirectory),
                response.response(body: Data())
            )
        }
    }

    // MARK: Bytes

    /// Writes bytes of the body.
    mutating func write(_ buffer: ByteBuffer, _ call: Call) throws {
        let count = buffer.readableBytes
        let total = (self.partial?.byteCount ?? 0) + Int64(count)
        if let end, total > end {
            self.partial?.discard()
            throw self.incomplete("the body has more bytes than the \(end) announced")
        }
        try self.check(total)
        try self.storing { partial in try buffer.withUnsafeReadableBytes { try partial.write($0) } }
        call.tell(.download(.wrote(count, total: total, of: self.byteCount)))
    }

    /// Verifies the file and gives it its name.
    mutating func finish(_ response: StreamedResponse, _ call: Call) throws -> DownloadedFile {
        guard let place, let count = self.partial?.byteCount else { throw self.incomplete("there is no file") }
        if let byteCount, byteCount != count {
            throw self.incomplete("the response announced \(byteCount) bytes, and there are \(count)", response)
        }
        let verified: [ContentDigest]
        do throws(SessionError) {
            verified = try self.partial?.verify() ?? []
        } catch {
            self.partial?.discard()
            throw error
        }
        // The last moment at which a cancelled download leaves nothing behind.
        try Task.checkCancellation()
        try self.move(to: place, call)
        call.tell(.download(.finished(place.url, byteCount: count)))
        var file = DownloadedFile(url: place.url, byteCount: count, response: response.response(body: Data()))
        file.resumedOffset = self.resumedOffset
        file.restart = self.restart
        file.verifiedDigests = verified
        return file
    }

    private mutating func move(to place: DownloadPlace, _ call: Call) throws {
        let replacing = self.plan.options.contains(.overwrite)
        do {
            try self.storing { try $0.commit(replacing: replacing) }
        } catch var error as SessionError {
            self.isComplete = true
            error.remains = self.settle(isKept: true)
            call.tell(.download(.notMoved(error)))
            throw error
        }
    }

    // MARK: End

    /// The error as the caller gets it, with what is left of the file.
    ///
    /// - Parameters:
    ///   - error: What ended the download.
    ///   - isKept: Whether the bytes are kept though the policy does not say so.
    /// - Returns: The error, and what is left.
    mutating func failure(_ error: any Error, isKept: Bool) -> (error: any Error, remains: DownloadRemains?) {
        let remains = self.settle(isKept: isKept)
        guard var failure = error as? SessionError else { return (error, remains) }
        failure.remains = remains
        return (failure, remains)
    }

    private mutating func settle(isKept: Bool) -> DownloadRemains? {
        guard let place else { return nil }
        let isComplete = self.isComplete
        return self.partial?.settle(destination: place.url, isKept: isKept, isComplete: isComplete)
    }

    // MARK: File

    /// Opens the partial file, and finds out where it can be continued.
    private mutating func open(_ place: DownloadPlace) throws {
        do {
            var partial = PartialDownload(try self.file(at: place), durability: self.plan.policy.durability)
            self.point = self.plan.mayResume ? try partial.resumePoint() : nil
            if let point, let resumeData = self.plan.resumeData, !resumeData.describes(point) { self.point = nil }
            if let point {
                var digests = [self.plan.policy.digest].compactMap { $0 }
                if self.plan.policy.verifiesResponseDigests { digests += point.journal.digests }
                try partial.prepare(toContinueAt: point.offset, verifying: digests)
            }
            self.partial = consume partial
        } catch let error as SystemError {
            throw SessionError(error)
        }
    }

    private func file(at place: DownloadPlace) throws(SystemError) -> PartialFile {
        if let name = self.plan.resumeData?.partialName {
            return try PartialFile(at: place.location, continuing: name)
        }
        guard self.plan.mayResume else { return try PartialFile(at: place.location) }
        return try PartialFile(at: place.location, continuing: PartialFile.name(for: place.location))
    }

    private mutating func storing(_ work: (inout PartialDownload) throws -> Void) throws {
        guard var partial = self.partial.take() else { return }
        let result = Result { try work(&partial) }
        self.partial = consume partial
        do {
            try result.get()
        } catch let error as SystemError {
            throw SessionError(error)
        }
    }

    // MARK: Refusals

    private mutating func check(_ byteCount: Int64) throws(SessionError) {
        guard let limit = self.plan.policy.byteLimit, byteCount > limit else { return }
        self.partial?.discard()
        throw SessionError(
            .responseTooLarge,
            reason: "the file has more than the \(limit) bytes that the download's byteLimit allows",
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

    /// - Throws: The error for a head that is not accepted, with the beginning of its body: it often says what is wrong.
    private func validate(
        _ response: StreamedResponse,
        as status: HTTPResponse.Status,
        _ call: Call
    ) async throws {
        guard let refusal = self.plan.policy.validation.refusal(of: response, as: status) else { return }
        throw try await response.explaining(refusal, upTo: call.handling.limits.refusedByteCount)
    }
}

extension ResumePoint {
    /// Whether the bytes at hand are the beginning of what a response to a request for the whole brings.
    fileprivate func fits(_ response: StreamedResponse) -> Bool {
        guard let other = DownloadJournal(response, byteCount: response.body.expectedLength) else { return false }
        return EntityTag.match(other.entityTag, self.journal.entityTag) && other.source == self.journal.source
            && other.byteCount == self.journal.byteCount && other.contentEncoding == self.journal.contentEncoding
    }
}

extension DownloadResumeData {
    /// Whether the file is still the one that this value was made for.
    fileprivate func describes(_ point: ResumePoint) -> Bool {
        EntityTag.match(self.entityTag, point.journal.entityTag)
    }
}
