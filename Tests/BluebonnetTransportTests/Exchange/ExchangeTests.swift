// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import BluebonnetTransport

@Suite struct ExchangeTests {
    /// What happens to an exchange.
    enum Event: String, Sendable {
        case wait, answer, cancel
    }

    /// The events, and whether a caller waits after each.
    static let histories: [(events: [Event], isWaiting: [Bool])] = [
        ([.wait, .answer], [true, false]),
        ([.wait, .cancel], [true, false]),
        ([.wait, .answer, .cancel, .answer], [true, false, false, false]),
        ([.wait, .cancel, .answer], [true, false, false]),
        ([.cancel, .wait], [false, false]),
        ([.cancel, .wait, .answer], [false, false, false]),
    ]

    @Test(arguments: histories.indices) func `it is wanted from the moment its caller waits until it is answered`(
        _ index: Int
    ) async throws {
        let (events, expected) = Self.histories[index]
        let request = TransportRequest(origin: Origin(scheme: .http, host: "example.com"), target: "/")
        let exchange = Exchange(request)
        #expect(!exchange.isWaiting)
        // The caller is resumed exactly once, whatever happens: an unsafe continuation would trap.
        let seen = Mutex([Bool]())
        _ = try? await withUnsafeThrowingContinuation {
            (continuation: UnsafeContinuation<TransportResponse, any Error>) in
            for event in events {
                switch event {
                case .wait: _ = exchange.wait(continuation)
                case .answer: exchange.answer(.failure(CancellationError()))
                case .cancel: exchange.cancel()
                }
                seen.withLock { $0.append(exchange.isWaiting) }
            }
        }
        #expect(seen.withLock { $0 } == expected)
    }
}
