// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Bluebonnet

/// The time to empty the queue of a session grows linearly with its length.
@Suite(.serialized, .timeLimit(.minutes(3))) struct AdmissionScalingTests {
    enum Ending: String, CaseIterable, Sendable { case admitted, cancelled }

    /// A full session, and the calls that wait for its only place.
    private struct Queue {
        let admission = Admission(limit: 1)
        private var calls: [Task<Void, any Error>] = []

        init(_ count: Int) async throws {
            _ = try self.admission.enter(isNested: false, isUnderWay: false)
            for _ in 0..<count {
                self.calls.append(
                    Task { [admission = self.admission] in
                        try await admission.wait(until: nil, clock: .system)
                    }
                )
            }
            while self.admission.counts.waiting < count { await Task.yield() }
        }

        func empty(_ ending: Ending) {
            switch ending {
            case .admitted: for _ in self.calls { self.admission.leave() }
            // The last call first, so that a search from the front would pass all the others.
            case .cancelled: for call in self.calls.reversed() { call.cancel() }
            }
        }

        /// Waits for the ends of the calls.
        func finish() async {
            for call in self.calls { _ = await call.result }
        }
    }

    @Test(.bug(id: "F252"), arguments: Ending.allCases)
    func `the time to empty the queue grows linearly`(_ ending: Ending) async throws {
        var growth = Double.infinity
        // Whatever disturbs a measurement adds to it, so a growth that is too large is measured again.
        for _ in 0..<3 where growth >= Scaling.largestGrowth {
            var queues: [Int: Queue] = [:]
            for factor in Scaling.factors { queues[factor] = try await Queue(5_000 * factor) }
            let prepared = queues
            let seconds = try Scaling.seconds(runs: 1) { factor in
                let queue = try #require(prepared[factor])
                return { queue.empty(ending) }
            }
            for queue in prepared.values {
                #expect(queue.admission.counts == (1, 0))
                await queue.finish()
            }
            growth = (seconds.last ?? 0) / (seconds.first ?? 1)
        }
        #expect(growth < Scaling.largestGrowth)
    }
}
