// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Bluebonnet

/// A system that says what a test wants.
final class FakeSystem: RouteProbe {
    private struct State {
        var status: ReachabilityStatus
        var runs: [AsyncStream<Void>.Continuation] = []
        var ended = 0
    }

    private let state: Mutex<State>

    init(_ status: ReachabilityStatus) { self.state = Mutex(State(status: status)) }

    var runCount: Int { self.state.withLock { $0.runs.count } }
    var endedCount: Int { self.state.withLock { $0.ended } }

    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        continuation.onTermination = { _ in self.state.withLock { $0.ended += 1 } }
        self.state.withLock { $0.runs.append(continuation) }
        continuation.yield()
        return stream
    }

    func status() async -> ReachabilityStatus { self.state.withLock { $0.status } }

    func become(_ status: ReachabilityStatus) {
        let run = self.state.withLock { state in
            state.status = status
            return state.runs.last
        }
        run?.yield()
    }
}
