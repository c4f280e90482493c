// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The time limits of one exchange on a connection, and the start of its current stage.
///
/// The limit for the head of the response is absolute; those for bodies apply to the time between bytes.
struct StageClock {
    /// Which limit was exceeded.
    enum Lateness {
        /// The total limit of the exchange, which always applies.
        case total(TransportError)
        /// The limit of its current stage, which is also exceeded if our own side is slow.
        case stage(TransportError)
    }

    private let timeouts: Timeouts
    /// The deadline of the whole exchange.
    private let total: NIODeadline?
    /// When bytes were last sent or received.
    private(set) var lastActivity: NIODeadline
    /// When the request was sent, or the last informational response arrived.
    private var responseAwaited: NIODeadline

    init(_ timeouts: Timeouts, total: NIODeadline?, now: NIODeadline) {
        self.timeouts = timeouts
        self.total = total
        self.lastActivity = now
        self.responseAwaited = now
    }

    /// Notes that bytes were sent or received; an earlier time than the last one changes nothing.
    mutating func noteActivity(_ now: NIODeadline) { self.lastActivity = Swift.max(self.lastActivity, now) }

    /// Notes that the last activity completed the request, or was an informational response.
    mutating func awaitResponse() { self.responseAwaited = self.lastActivity }

    /// Restarts the limits, for example after a delay that the peer did not cause.
    mutating func restart(_ now: NIODeadline) {
        self.lastActivity = now
        self.responseAwaited = now
    }

    /// Returns the deadline for waiting in the pipeline, if the wait begins now.
    func pipelineDeadline(_ now: NIODeadline) -> NIODeadline? {
        let limit = self.timeouts.queue.map { now + TimeAmount($0) }
        return .earlier(limit, self.total)
    }

    /// Returns the deadline of the current stage.
    ///
    /// - Parameters:
    ///   - stage: The current stage.
    ///   - isDropped: Whether the caller is gone: the total limit was for the caller.
    /// - Returns: The deadline; nil if there is no limit.
    func deadline(in stage: WireStage, isDropped: Bool = false) -> NIODeadline? {
        .earlier(self.end(of: stage), isDropped ? nil : self.total)
    }

    /// Returns when to look whether the peer has taken bytes that wait in the channel, which does not report it.
    ///
    /// Bytes wait there while a request is being sent, and may still when its last one was written: then `isWaiting` is true.
    /// At a look the time of the last byte is known only to be after the look before, and the limit is counted from
    /// the later one: looks at every quarter of the limit make it a quarter longer at most.
    func nextLook(
        in stage: WireStage,
        isWaiting: Bool = false,
        after now: @autoclosure () -> NIODeadline
    ) -> NIODeadline? {
        guard stage == .sending || (stage == .waiting && isWaiting), let limit = stage.limit(self.timeouts) else {
            return nil
        }
        return now() + .nanoseconds(TimeAmount(limit).nanoseconds / 4)
    }

    /// Returns which limit was exceeded; nil if none was.
    func lateness(in stage: WireStage, isDropped: Bool = false, now: NIODeadline) -> Lateness? {
        if !isDropped, let late = self.totalLateness(stage.phase, now) { return .total(late) }
        guard let limit = stage.limit(self.timeouts), let end = self.end(of: stage), end <= now else { return nil }
        return .stage(stage.error(limit))
    }

    /// Returns the error of an exchange that waited too long in the pipeline; nil if it did not.
    func lateness(inPipelineUntil deadline: NIODeadline?, now: NIODeadline) -> TransportError? {
        if let late = self.totalLateness(.responseHead, now) { return late }
        guard let deadline, deadline <= now else { return nil }
        return .late(.queue, "the responses before it on its connection did not end in time")
    }

    private func totalLateness(_ phase: ExchangePhase, _ now: NIODeadline) -> TransportError? {
        guard let total, total <= now else { return nil }
        return .lateInAll(phase, isRequestSent: true)
    }

    private func end(of stage: WireStage) -> NIODeadline? {
        let start = stage == .waiting ? self.responseAwaited : self.lastActivity
        return stage.limit(self.timeouts).map { start + TimeAmount($0) }
    }
}

extension NIODeadline {
    /// Returns the earlier of two deadlines, either of which may be nil.
    static func earlier(_ left: NIODeadline?, _ right: NIODeadline?) -> NIODeadline? {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }
}
