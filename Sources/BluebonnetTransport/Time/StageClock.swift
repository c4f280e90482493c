// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The limits on one exchange while a connection carries it, and since when that on its present stage runs.
///
/// The limit on the head of the response is absolute, those on bodies are on silence.
struct StageClock {
    /// Which limit has passed.
    enum Lateness {
        /// That on the exchange in all, which nothing excuses.
        case total(TransportError)
        /// That on its present stage, which passes also where our own side is slow.
        case stage(TransportError)
    }

    private let timeouts: Timeouts
    /// When the exchange has to be over.
    private let total: NIODeadline?
    private var lastActivity: NIODeadline
    /// When the request was sent, or an informational response came.
    private var responseAwaited: NIODeadline

    init(_ timeouts: Timeouts, total: NIODeadline?, now: NIODeadline) {
        self.timeouts = timeouts
        self.total = total
        self.lastActivity = now
        self.responseAwaited = now
    }

    /// Bytes were taken or came.
    mutating func noteActivity(_ now: NIODeadline) { self.lastActivity = now }

    /// The request was sent with the last activity, or an informational response came with it.
    mutating func awaitResponse() { self.responseAwaited = self.lastActivity }

    /// The limits begin to run, once more where it was not the peer that was slow.
    mutating func restart(_ now: NIODeadline) {
        self.lastActivity = now
        self.responseAwaited = now
    }

    /// When the exchange has waited for too long in line behind others, if it begins to wait now.
    func lineDeadline(_ now: NIODeadline) -> NIODeadline? {
        let limit = self.timeouts.queue.map { now + TimeAmount($0) }
        return .earlier(limit, self.total)
    }

    /// When it is late, unless something happens.
    ///
    /// - Parameters:
    ///   - stage: Where it stands.
    ///   - isDropped: Whether nobody waits for it any more: the limit in all was for its caller.
    /// - Returns: The moment, if there is a limit.
    func deadline(in stage: ExchangeStage, isDropped: Bool = false) -> NIODeadline? {
        .earlier(self.end(of: stage), isDropped ? nil : self.total)
    }

    /// How it is late, if it is.
    func lateness(in stage: ExchangeStage, isDropped: Bool = false, now: NIODeadline) -> Lateness? {
        if !isDropped, let late = self.totalLateness(now) { return .total(late) }
        guard let limit = stage.limit(self.timeouts), let end = self.end(of: stage), end <= now else { return nil }
        return .stage(stage.error(limit))
    }

    /// How it is late in line behind others, if it is.
    func lateness(inLineUntil deadline: NIODeadline?, now: NIODeadline) -> TransportError? {
        if let late = self.totalLateness(now) { return late }
        guard let deadline, deadline <= now else { return nil }
        return .late(.queue, "the responses before it on its connection did not end in time")
    }

    private func totalLateness(_ now: NIODeadline) -> TransportError? {
        guard let total, total <= now else { return nil }
        return .late(.total, "the exchange took longer than its limit in all")
    }

    private func end(of stage: ExchangeStage) -> NIODeadline? {
        let start = stage == .waiting ? self.responseAwaited : self.lastActivity
        return stage.limit(self.timeouts).map { start + TimeAmount($0) }
    }
}

extension NIODeadline {
    /// The earlier of two moments, as far as they are there.
    static func earlier(_ left: NIODeadline?, _ right: NIODeadline?) -> NIODeadline? {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }
}
