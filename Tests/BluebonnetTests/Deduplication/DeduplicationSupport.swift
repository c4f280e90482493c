// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Testing

@testable import Bluebonnet

/// What the suites about shared exchanges have in common.
protocol DeduplicationSupport {
    /// What the transport of a test waits for before it answers.
    var latch: Latch { get }
}

extension DeduplicationSupport {
    /// Answers when the latch is open, with the number of the exchange.
    func waiting(_ answer: @escaping @Sendable (Int) throws -> TransportResponse) -> StubTransport {
        let count = Recorder<Int>()
        let latch = self.latch
        return StubTransport { _ in
            count.record(1)
            let number = count.elements.count
            await latch.wait()
            try Task.checkCancellation()
            return try answer(number)
        }
    }

    func session(
        _ transport: any Transport,
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.deduplication = .identical
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    func exchanges(of session: Session) throws -> SharedExchanges {
        try #require(session.sharedExchanges)
    }

    func wait(_ count: Int, in session: Session) async throws {
        let exchanges = try self.exchanges(of: session)
        while exchanges.waiterCount < count { await Task.yield() }
    }

    func request(_ method: String = "GET") throws -> Request { try RetryTable.request(method) }
}

extension Session {
    /// The exchanges that its calls share.
    var sharedExchanges: SharedExchanges? {
        self.stages.interceptors.lazy.compactMap { ($0 as? DeduplicationStage)?.exchanges }.first
    }
}
