// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Bluebonnet

@Suite struct ProgressStreamTests {
    @Test func `starts with the state of the moment and ends with the last one`() async {
        let updates = ProgressStream()
        updates.begin(total: 10)
        updates.add(4)
        var iterator = updates.makeAsyncIterator()
        #expect(await iterator.next() == TransferProgress(completed: 4, total: 10))
        updates.add(3)
        #expect(await iterator.next() == TransferProgress(completed: 7, total: 10))
        updates.add(3)
        updates.finish()
        #expect(await iterator.next() == TransferProgress(completed: 10, total: 10))
        #expect(await iterator.next() == nil)
    }

    @Test func `shows the slow the newest step only`() async {
        let updates = ProgressStream()
        var iterator = updates.makeAsyncIterator()
        updates.begin(total: nil)
        for _ in 0..<1000 { updates.add(1) }
        #expect(await iterator.next() == TransferProgress(completed: 1000))
        updates.finish()
        #expect(await iterator.next() == nil)
    }

    @Test func `can be read by many, also after the end`() async {
        let updates = ProgressStream()
        var first = updates.makeAsyncIterator()
        var second = updates.makeAsyncIterator()
        updates.begin(total: 2)
        updates.add(2)
        updates.finish()
        var third = updates.makeAsyncIterator()
        let expected = TransferProgress(completed: 2, total: 2)
        #expect(await first.next() == expected)
        #expect(await second.next() == expected)
        #expect(await third.next() == expected)
        #expect(await first.next() == nil)
        #expect(await second.next() == nil)
        #expect(await third.next() == nil)
        #expect(updates.isFinished)
    }

    @Test(.bug(id: "F353")) func `bytes that were sent at once leave the total as it is`() {
        let updates = ProgressStream()
        updates.complete(5)
        #expect(updates.current == TransferProgress(completed: 5, total: 5))
        updates.begin(total: 10)
        updates.complete(4)
        #expect(updates.current == TransferProgress(completed: 4, total: 10))
    }

    @Test func `does not count after the end`() {
        let updates = ProgressStream()
        updates.add(1)
        updates.finish()
        updates.add(1)
        updates.begin(total: 5)
        #expect(updates.current == TransferProgress(completed: 1))
    }

    @Test func `ends for a reader whose task is cancelled`() async {
        let updates = ProgressStream()
        let reader = Task {
            var count = 0
            for await _ in updates { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value <= 1)
    }

    @Test(.bug(id: "F151")) func `a step and the cancellation of a reader do not wait for each other`() async {
        let hasEnded = await ThreadRace.ends(rounds: 300) { _ in
            let updates = ProgressStream()
            let (steps, step) = AsyncStream.makeStream(of: Void.self)
            let reader = Task {
                for await _ in updates { step.yield() }
            }
            // The reader waits for the next step, or is about to.
            for await _ in steps { break }
            return ({ for _ in 0..<8 { updates.add(1) } }, { reader.cancel() })
        }
        #expect(hasEnded)
    }

    @Test func `a reader gets the last step, however close the end follows`() async {
        for _ in 0..<100 {
            let updates = ProgressStream()
            let reader = Task {
                var last = TransferProgress()
                for await step in updates { last = step }
                return last
            }
            let hasEnded = await ThreadRace.ends(rounds: 1) { _ in
                (
                    { for _ in 0..<8 { updates.add(1) } },
                    {
                        while updates.current.completed < 8 {}
                        updates.finish()
                    }
                )
            }
            #expect(hasEnded)
            #expect(await reader.value == TransferProgress(completed: 8))
        }
    }

    @Test(arguments: [
        (TransferProgress(completed: 1, total: 4), 0.25),
        (TransferProgress(completed: 4, total: 4), 1),
        (TransferProgress(completed: 9, total: 4), 1),
        (TransferProgress(completed: 0, total: 0), 1),
        (TransferProgress(completed: 9, total: nil), nil),
    ])
    func `knows the fraction where there is one`(_ progress: TransferProgress, _ fraction: Double?) {
        #expect(progress.fraction == fraction)
    }
}
