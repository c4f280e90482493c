// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import Synchronization

/// A transport that is a function, and that remembers what it was asked.
final class FakeTransport: Transport {
    private struct State {
        var requests: [TransportRequest] = []
        var isShutDown = false
    }

    private let state = Mutex(State())
    private let answer: @Sendable (TransportRequest) async throws -> TransportReply

    init(
        _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportReply = { _ in
            TransportReply(status: .ok)
        }
    ) {
        self.answer = answer
    }

    var requests: [TransportRequest] { self.state.withLock { $0.requests } }
    var isShutDown: Bool { self.state.withLock { $0.isShutDown } }

    func exchange(_ request: TransportRequest) async throws -> TransportReply {
        self.state.withLock { $0.requests.append(request) }
        return try await self.answer(request)
    }

    func shutdown() async {
        self.state.withLock { $0.isShutDown = true }
    }
}
