// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import BluebonnetCLI

@Suite struct ProgressDisplayTests {
    /// A clock that a test moves.
    private final class ManualClock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { self.time.withLock { $0 } }
        func advance(_ duration: Duration) { self.time.withLock { $0 += duration } }
    }

    private func display(_ test: TestConsole, _ clock: ManualClock) -> ProgressDisplay {
        ProgressDisplay(title: "Up", console: test.console, now: { clock.now })
    }

    @Test func `is silent in the first second`() {
        let test = TestConsole(isTerminal: true)
        let clock = ManualClock()
        let display = self.display(test, clock)
        clock.advance(.milliseconds(900))
        display.note(10, of: 100)
        display.finish()
        #expect(test.errors.bytes.isEmpty)
    }

    @Test func `draws over its own line and removes it`() {
        let test = TestConsole(isTerminal: true)
        let clock = ManualClock()
        let display = self.display(test, clock)
        clock.advance(.milliseconds(1100))
        display.note(50, of: 100)
        clock.advance(.milliseconds(50))
        display.note(60, of: 100)
        display.finish()
        display.note(70, of: 100)
        let text = test.errors.text
        #expect(text.hasPrefix("\rUp   50%"))
        #expect(!text.contains("60%"))
        #expect(text.hasSuffix("\r\u{1B}[K"))
        #expect(!text.contains("\n"))
    }

    @Test func `bytes of an earlier transfer are no part of the rate`() {
        let test = TestConsole(isTerminal: true, columns: 120)
        let clock = ManualClock()
        let display = self.display(test, clock)
        clock.advance(.milliseconds(1100))
        display.note(900_000, of: 1_000_000)
        #expect(!test.errors.text.contains("/s") && !test.errors.text.contains("left"), "\(test.errors.text)")
        clock.advance(.seconds(1))
        display.note(901_024, of: 1_000_000)
        #expect(test.errors.text.contains("1.0 KiB/s  1:37 left"), "\(test.errors.text)")
    }

    @Test func `writes nothing into a pipe`() {
        let test = TestConsole(isTerminal: false)
        let clock = ManualClock()
        let display = self.display(test, clock)
        clock.advance(.seconds(5))
        display.note(50, of: 100)
        display.finish()
        #expect(test.errors.bytes.isEmpty)
    }
}
