// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// A transfer with its queue's data about it: the content of a record, and the earliest time of the next attempt.
///
/// A value that changes by its rules; its owner decides what is written and started.
struct TransferEntry: Sendable {
    var transfer: Transfer

    /// Whether an attempt has begun since the bytes were last removed, so that there may be bytes.
    private(set) var isBegun = false

    /// The partial file of a download that is under way, or that was told to stop and may not have stopped.
    ///
    /// A file of this number at the destination is the download's own: its process ended before it recorded that.
    private(set) var partial: FileNumber?

    /// The URL to which the last attempt uploaded, if it is not that of the transfer, because the program's function has
    /// changed it; without user information, query and fragment.
    ///
    /// The name of the upload's journal is derived from it.
    private(set) var target: URL?

    /// The largest number of bytes that were present since they were last removed, or since the program resumed the
    /// transfer.
    private(set) var furthestByteCount: Int64 = 0

    /// The wait before the next attempt.
    private(set) var delay: Duration = .zero

    /// The earliest time of the next attempt, by a clock without a time of day; nil for at once.
    private(set) var due: SessionClock.Instant?

    /// The longest wait in a valid record, beyond which its file was not written by this library: two days.
    static let longestDelay = Duration.seconds(2 * 86_400)

    init(_ transfer: Transfer) {
        self.transfer = transfer
    }

    /// Creates the entry from a record.
    ///
    /// The time of day may have been changed since it was written: the wait is limited to its original length.
    init(
        _ transfer: Transfer,
        isBegun: Bool,
        partial: FileNumber?,
        target: URL?,
        furthestByteCount: Int64,
        delay: Duration,
        at moment: TransferMoment
    ) {
        self.transfer = transfer
        self.furthestByteCount = max(furthestByteCount, transfer.progress.completed)
        self.isBegun = isBegun
        self.partial = partial
        self.target = target
        self.delay = min(max(delay, .zero), Self.longestDelay)
        guard transfer.state == .waiting, let nextStart = transfer.nextStart else { return }
        let seconds = min(max(nextStart.timeIntervalSince(moment.date), 0), self.delay / .seconds(1))
        self.due = moment.instant.advanced(by: .seconds(seconds))
    }

    var id: Transfer.ID { self.transfer.id }

    var state: Transfer.State { self.transfer.state }

    /// Whether it may start now.
    func isDue(at now: SessionClock.Instant) -> Bool {
        self.state == .waiting && (self.due.map { $0 <= now } ?? true)
    }

    // MARK: Requests of the program

    /// - Returns: Whether anything has changed.
    mutating func pause() -> Bool {
        guard [.waiting, .running].contains(self.state) else { return false }
        self.transfer.state = .paused
        self.forgetWait()
        return true
    }

    /// - Returns: Whether anything has changed.
    mutating func resume() -> Bool {
        switch self.state {
        case .running, .finished: return false
        case .waiting where self.due == nil: return false
        case .waiting, .paused, .failed, .cancelled:
            self.transfer.state = .waiting
            self.transfer.failedAttemptCount = 0
            self.transfer.failure = nil
            self.furthestByteCount = self.transfer.progress.completed
            self.forgetWait()
            return true
        }
    }

    /// - Returns: Whether anything has changed.
    mutating func cancel() -> Bool {
        guard ![.finished, .cancelled].contains(self.state) else { return false }
        self.transfer.state = .cancelled
        self.forgetWait()
        return true
    }

    /// Records that the bytes were removed.
    mutating func discarded() {
        self.isBegun = false
        self.partial = nil
        self.target = nil
        self.transfer.progress.completed = 0
        self.furthestByteCount = 0
    }

    // MARK: Events

    /// Records the beginning of an attempt.
    mutating func start(_ partial: FileNumber?) {
        self.transfer.state = .running
        self.isBegun = true
        self.partial = partial
        self.forgetWait()
    }

    /// Records how far an attempt has come.
    ///
    /// - Returns: Whether anything has changed.
    mutating func reach(_ milestone: TransferRun.Milestone) -> Bool {
        switch milestone {
        case .prepared(let url): return self.aim(at: url)
        case .uploaded(let byteCount):
            self.finish(byteCount)
            return true
        }
    }

    private mutating func aim(at url: URL) -> Bool {
        let (text, usual) = (RequestTarget.redacted(url), RequestTarget.redacted(self.transfer.url))
        // A record has a limit, and must not get unwritable.
        let isKept = !text.utf8.elementsEqual(usual.utf8) && text.utf8.count <= Self.longestTarget
        let before = self.target
        self.target = isKept ? URL(string: text) : nil
        return self.target != before
    }

    /// The longest ``target``, in bytes.
    private static let longestTarget = 4096

    /// Records an interruption, by the end of the queue or of its process, which is not a failure, or by a request of
    /// the program.
    mutating func interrupt() {
        self.partial = nil
        guard self.state == .running else { return }
        self.transfer.state = .waiting
    }

    /// Applies the program's requests that were made while the end of an attempt was handled.
    mutating func merge(_ newer: TransferEntry, since before: Transfer.State) {
        self.transfer.priority = newer.transfer.priority
        guard newer.state != before else { return }
        let (progress, furthestByteCount) = (self.transfer.progress, self.furthestByteCount)
        self = newer
        self.interrupt()
        self.transfer.progress = progress
        self.furthestByteCount = furthestByteCount
    }

    /// Records that everything has arrived.
    mutating func finish(_ byteCount: Int64) {
        self.transfer.state = .finished
        self.transfer.progress = TransferProgress(completed: byteCount, total: byteCount)
        self.furthestByteCount = byteCount
        self.transfer.failedAttemptCount = 0
        self.transfer.failure = nil
        self.partial = nil
        self.forgetWait()
    }

    /// Records a failed attempt, which another one follows after a delay, or none.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - delay: The delay; nil if no attempt follows.
    ///   - moment: The time now.
    mutating func fail(_ failure: Transfer.Failure, retryAfter delay: Duration?, at moment: TransferMoment) {
        self.transfer.failure = failure
        self.partial = nil
        guard let delay else {
            self.transfer.state = .failed
            self.forgetWait()
            return
        }
        self.transfer.state = .waiting
        self.delay = min(max(delay, .zero), Self.longestDelay)
        self.due = moment.instant.advanced(by: self.delay)
        self.transfer.nextStart = moment.date.addingTimeInterval(self.delay / .seconds(1))
    }

    /// Records the bytes present after an unfinished attempt.
    ///
    /// - Returns: Whether there are more than ever before: the bytes of a transfer that started again are no progress
    ///   until they reach further than the previous ones.
    @discardableResult
    mutating func keep(_ byteCount: Int64, of total: Int64?) -> Bool {
        let isMore = byteCount > self.furthestByteCount
        self.furthestByteCount = max(self.furthestByteCount, byteCount)
        self.transfer.progress = TransferProgress(completed: byteCount, total: total ?? self.transfer.progress.total)
        return isMore
    }

    /// Counts a failed attempt; after progress the count starts again at 1.
    mutating func countFailure(hasMoved: Bool) {
        self.transfer.failedAttemptCount = hasMoved ? 1 : min(self.transfer.failedAttemptCount, Self.mostFailures) + 1
    }

    /// More failures than a policy can allow.
    static let mostFailures = 1000

    private mutating func forgetWait() {
        self.delay = .zero
        self.due = nil
        self.transfer.nextStart = nil
    }
}

/// A moment, by the monotonic clock and by the time of day, which may be changed at any time.
struct TransferMoment: Sendable {
    var instant: SessionClock.Instant
    var date: Date
}
