// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: what waits in the channel, what is late, and whether the peer is alive.
extension HTTP2ConnectionState {
    /// Notes how many bytes wait in the channel after a write.
    ///
    /// - Returns: When to look whether the peer takes them; nil if none of a request wait, or no limit applies.
    mutating func noteUnsent(_ byteCount: Int, now: @autoclosure () -> NIODeadline) -> NIODeadline? {
        self.progress.note(waiting: byteCount)
        guard byteCount > 0 else { return nil }
        for stream in self.streams.values where self.progress.isWaiting(stream.sendMark, waiting: byteCount) {
            stream.isWaiting = true
        }
        return self.nextLook(after: now())
    }

    /// When something is late on a stream, or the peer is to be asked whether it is alive.
    func deadline(of stream: Stream) -> NIODeadline? { .earlier(stream.deadline, self.pulse.deadline) }

    /// When the first of all streams is late, unless something happens.
    var deadline: NIODeadline? { self.streams.values.reduce(nil) { .earlier($0, $1.deadline) } }

    /// When to look whether the peer takes what waits in the channel, of all streams.
    func nextLook(after now: NIODeadline) -> NIODeadline? {
        self.streams.values.reduce(nil) { .earlier($0, $1.nextLook(after: now)) }
    }

    /// Looks for streams that are late, in the order in which they began, where so many bytes wait in the channel; ``HTTP2Stream`` says how.
    mutating func findLate(
        now: NIODeadline,
        unsentByteCount: Int,
        ourSide: (Stream) -> (isStalled: Bool, isReading: Bool)
    ) -> [(stream: Stream, error: TransportError)] {
        self.progress.note(waiting: unsentByteCount)
        let hasTaken = self.progress.takeDrain()
        if hasTaken { self.pulse.taken(now) }
        var late = [(stream: Stream, error: TransportError)]()
        for stream in self.all {
            let wasWaiting = stream.isWaiting
            stream.isWaiting = self.progress.isWaiting(stream.sendMark, waiting: unsentByteCount)
            // A peer that has taken some of what waits in the channel is slow and not silent. When the last of that left is not known:
            // the limits count from the look that finds it gone.
            if hasTaken, wasWaiting || stream.isWaiting { stream.excuse(now) }
            // The turns of other streams are progress for one that only waits for its own.
            if stream.awaitsTurn { stream.noteActivity(hasTaken ? now : self.progress.lastGathered) }
            if let error = stream.findLate(now, ourSide: { ourSide(stream) }) { late.append((stream, error)) }
        }
        return late
    }

    /// Asks whether a silent peer is alive, while there are streams; one that takes bytes, behind which the PING is, is only slow.
    mutating func checkPulse(_ now: NIODeadline) -> HTTP2Pulse.Check {
        self.streams.isEmpty ? .quiet(until: nil) : self.pulse.check(now)
    }
}
