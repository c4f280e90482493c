// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTransport

@Suite struct SendProgressTests {
    @Test func `a channel that holds as much as before has made no progress`() {
        var progress = SendProgress()
        progress.wrote(1_000)
        var hasTaken = [600, 600, 599, 599].map { progress.note(waiting: $0) }
        #expect(hasTaken == [true, false, true, false])
        // What is added is no progress either.
        progress.wrote(50)
        hasTaken = [649, 0, 0].map { progress.note(waiting: $0) }
        #expect(hasTaken == [false, true, false])
    }

    @Test(.bug(id: "F291")) func `only bytes that had to wait show that the peer takes them`() {
        var progress = SendProgress()
        progress.wrote(1_000)
        var drains = [Bool]()
        // The system has room for the first of them, then for none, and then the peer takes some, and all.
        for waiting in [600, 600, 500, 500, 0, 0] {
            progress.note(waiting: waiting)
            drains.append(progress.takeDrain())
        }
        #expect(drains == [false, false, true, false, true, false])
        progress.wrote(50)
        progress.note(waiting: 0)
        let hasDrained = progress.takeDrain()
        #expect(!hasDrained)
    }

    @Test func `what was written first leaves first`() {
        var progress = SendProgress()
        progress.wrote(100)
        let first = progress.writtenByteCount
        progress.wrote(100)
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
