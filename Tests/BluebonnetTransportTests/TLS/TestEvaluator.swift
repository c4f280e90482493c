// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

/// An evaluator that does what a closure says, and remembers what it was asked.
final class TestEvaluator: TrustEvaluator {
    let mode: TrustMode
    let identity: TrustIdentity
    private let verdict: @Sendable (ServerTrust) async throws -> Void
    private let asked = Mutex<[ServerTrust]>([])

    init(
        _ mode: TrustMode = .additional,
        identity: TrustIdentity = .unique(),
        verdict: @escaping @Sendable (ServerTrust) async throws -> Void = { _ in }
    ) {
        self.mode = mode
        self.identity = identity
        self.verdict = verdict
    }

    /// The servers it was asked about.
    var servers: [ServerTrust] { self.asked.withLock { $0 } }

    func evaluate(_ server: ServerTrust) async throws {
        self.asked.withLock { $0.append(server) }
        try await self.verdict(server)
    }
}

/// What an evaluator throws that knows nothing of the library.
struct Distrust: Error {}
