// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// The files of one download: the target, and the partial file beside it, once it is open.
///
/// Errors of files are thrown as `SessionError`.
struct DownloadStorage: ~Copyable {
    private let plan: DownloadPlan
    private(set) var place: DownloadTarget?
    private var partial: PartialDownload?
    /// Where an earlier download can continue; nil if there is none, or nothing of it can be used.
    private(set) var point: ResumePoint?
    private var isComplete = false

    /// Inspects the destination, and what an earlier download has left there.
    ///
    /// - Throws: `SessionError`; `CancellationError`.
    init(_ plan: DownloadPlan) throws {
        self.plan = plan
        if let resumeData = plan.resumeData {
            let place = try DownloadTarget(resumeData.destination, options: plan.options)
            self.place = place
            // With its directory the partial file is gone. Both are created when the response has arrived.
            if place.hasDirectory { try self.open(place) }
        } else if case .file(let url) = plan.destination {
            let place = try DownloadTarget(url, options: plan.options)
            self.place = place
            if plan.mayResume, place.hasDirectory { try self.open(place) }
        }
    }

    /// The number of bytes received; nil before the file is open.
    var byteCount: Int64? {
        mutating get { self.partial?.byteCount }
    }

    /// The number of received bytes that another response can follow; 0 if their version cannot be identified.
    var keptByteCount: Int64 {
        mutating get { self.partial?.keptByteCount ?? 0 }
    }

    /// Where the file continues after an interrupted response; nil if only from its first byte.
    mutating func breakPoint() throws -> ResumePoint? { try self.change { try $0.breakPoint() } ?? nil }

    /// Opens the partial file, at the target that the response decides on if there is none yet.
    mutating func open(for response: StreamedResponse) throws {
        let place = try self.place ?? self.plan.place(for: response)
        self.place = place
        try place.prepareDirectory(self.plan.policy.durability)
        if self.partial == nil { try self.open(place) }
    }

    /// Forgets the bytes of an earlier download, which cannot be used.
    mutating func forgetPoint() { self.point = nil }

    /// Changes the partial file, if it is open.
    mutating func change<Value>(_ work: (inout PartialDownload) throws -> Value) throws -> Value? {
        guard var partial = self.partial.take() else { return nil }
        let result = Result { try work(&partial) }
        self.partial = consume partial
        do {
            return try result.get()
        } catch let error as SystemError {
            throw SessionError(error)
        }
    }

    /// Marks the file to be removed.
    mutating func discard() { self.partial?.discard() }

    /// Verifies the file.
    ///
    /// - Parameters:
    ///   - late: The digests in the trailers.
    ///   - start: The position of the body in the file.
    /// - Returns: The verified digests.
    /// - Throws: `SessionError` with `digestMismatch`; the file is then removed.
    mutating func verify(_ late: DigestFields, ofBodyAt start: Int64) throws -> [ContentDigest] {
        try self.discardingMismatch { try $0.verify(late, ofBodyAt: start) } ?? []
    }

    /// Verifies the bytes of a response that is followed by another one.
    ///
    /// - Parameters:
    ///   - late: The digests in its trailers.
    ///   - start: The position of its body in the file.
    /// - Throws: `SessionError` with `digestMismatch`; the file is then removed.
    mutating func verifyPart(_ late: DigestFields, at start: Int64) throws {
        _ = try self.discardingMismatch { try $0.verifyPart(late, at: start) }
    }

    /// Verifies digests, and marks the file to be removed if one is wrong.
    private mutating func discardingMismatch<Value>(
        _ verify: (inout PartialDownload) throws -> Value
    ) throws -> Value? {
        do {
            return try self.change(verify)
        } catch let error as SessionError where error.code == .digestMismatch {
            self.discard()
            throw error
        }
    }

    /// Moves the file to its destination.
    mutating func move(_ call: Call) throws {
        let replacing = self.plan.options.contains(.overwrite)
        do {
            _ = try self.change { try $0.commit(replacing: replacing) }
        } catch var error as SessionError {
            self.isComplete = !error.isLossOfWrites
            error.downloadRemains = self.settle(after: error, isKept: true)
            if error.downloadRemains?.isComplete == true { call.tell(.download(.notMoved(error))) }
            throw error
        }
    }

    /// Ends an unfinished file.
    ///
    /// - Parameters:
    ///   - error: The error that ended the download.
    ///   - isKept: Whether the bytes are kept even if the policy does not say so.
    /// - Returns: What is left; nil if nothing is.
    mutating func settle(after error: any Error, isKept: Bool) -> DownloadRemains? {
        guard let place else { return nil }
        if (error as? SessionError)?.isLossOfWrites == true { self.partial?.dropUnsynchronized() }
        let isComplete = self.isComplete
        return self.partial?.settle(destination: place.url, isKept: isKept, isComplete: isComplete)
    }

    /// Opens the partial file, and determines where it can be continued.
    private mutating func open(_ place: DownloadTarget) throws {
        self.place = place
        do {
            var partial = PartialDownload(try self.file(at: place), durability: self.plan.policy.durability)
            self.point = self.plan.mayResume ? try partial.resumePoint() : nil
            if let point, let resumeData = self.plan.resumeData, !resumeData.describes(point) { self.point = nil }
            if let point {
                var digests = [self.plan.policy.digest].compactMap { $0 }
                if self.plan.policy.verifiesResponseDigests { digests += point.journal.digests }
                try partial.prepare(toContinueAt: point, verifying: digests)
            }
            self.partial = consume partial
        } catch let error as SystemError {
            throw SessionError(error)
        }
    }

    private func file(at place: DownloadTarget) throws(SystemError) -> PartialFile {
        if let name = self.plan.resumeData?.partialName {
            return try PartialFile(at: place.location, continuing: name)
        }
        guard self.plan.mayResume else { return try PartialFile(at: place.location) }
        return try PartialFile(at: place.location, continuing: PartialFile.name(for: place.location))
    }
}

extension DownloadResumeData {
    /// Whether the file is still the one that this value was made for.
    fileprivate func describes(_ point: ResumePoint) -> Bool {
        EntityTag.match(self.entityTag, point.journal.entityTag)
    }
}
