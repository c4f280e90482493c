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
