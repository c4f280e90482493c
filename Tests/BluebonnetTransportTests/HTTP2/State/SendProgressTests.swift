// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTransport

@Suite struct SendProgressTests {
    @Test func `a channel that holds as much as before has made no progress`() {
        var progress = SendProgress()
        _ = progress.wrote(1_000)
        #expect(Self.drains([600, 600, 599, 599], of: &progress) == [false, false, true, false])
        // What is added is no progress either.
        _ = progress.wrote(50)
        #expect(Self.drains([649, 0, 0], of: &progress) == [false, true, false])
    }

    /// Whether the peer is seen to take bytes, each time that so many wait.
    private static func drains(_ waiting: [Int], of progress: inout SendProgress) -> [Bool] {
        waiting.map {
            progress.note(waiting: $0)
            return progress.takeDrain()
        }
    }

    @Test(.bug(id: "F291")) func `only bytes that had to wait show that the peer takes them`() {
        var progress = SendProgress()
        _ = progress.wrote(1_000)
        // The system has room for the first of them, then for none, and then the peer takes some, and all.
        let drains = Self.drains([600, 600, 500, 500, 0, 0], of: &progress)
        #expect(drains == [false, false, true, false, true, false])
        _ = progress.wrote(50)
        #expect(Self.drains([0], of: &progress) == [false])
    }

    @Test func `what was written first leaves first`() {
        var progress = SendProgress()
        _ = progress.wrote(100)
        let first = progress.writtenByteCount
        _ = progress.wrote(100)
        let second = progress.writtenByteCount
        for (waiting, isFirst, isSecond) in [
            (200, true, true), (101, true, true), (100, false, true), (1, false, true),
        ] {
            #expect(progress.isWaiting(first, waiting: waiting) == isFirst)
            #expect(progress.isWaiting(second, waiting: waiting) == isSecond)
        }
        #expect(!progress.isWaiting(second, waiting: 0))
    }
}
