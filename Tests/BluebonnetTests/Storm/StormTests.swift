// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// A session with every stage, in a storm of cancellations: whatever is cancelled, nothing hangs and nothing is left behind.
///
/// A few hundred operations here; `make soak` makes 20,000. `BLUEBONNET_STORM_OPERATIONS` and `BLUEBONNET_STORM_SEED` say how many, and
/// which: operations of the same seed are the same and are cancelled at the same of their moments, as far as threads allow.
@Suite(.timeLimit(.minutes(60))) struct StormTests {
    private static let operationCount = number("BLUEBONNET_STORM_OPERATIONS") ?? 600
    private static let seed = number("BLUEBONNET_STORM_SEED") ?? Int.random(in: 1..<1_000_000)

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test func `a storm of cancellations leaves nothing that hangs, and nothing behind`() async throws {
        let (seed, count) = (Self.seed, Self.operationCount)
        let name: Comment = "BLUEBONNET_STORM_SEED=\(seed) BLUEBONNET_STORM_OPERATIONS=\(count)"
        try await StormScene.run(count) { scene in
            let storm = Storm(scene, seed: UInt64(seed), count: count)
            let clock = ContinuousClock()
            let start = clock.now
            let hasEnded = await storm.run(within: .seconds(60 + count / 20))
            try #require(hasEnded, "\(name): still open: \(storm.open)")
            print("storm: \(name), \(clock.now - start), \(storm.tally.sorted { $0.key < $1.key })")
            #expect(storm.faults.isEmpty, name)
            try await Self.expectCalm(scene, name)
        }
    }

    /// Expects that nothing is left of a storm, and that its session still works.
    private static func expectCalm(_ scene: StormScene, _ name: Comment) async throws {
        let (session, transport) = (scene.session, scene.transport)
        #expect(await Patience.holds { session.tasks.isEmpty }, name)
        #expect(await Patience.holds { session.admission.counts == (active: 0, waiting: 0) }, name)
        // The transfers that were cancelled as the last thing are given up by tasks that nobody waits for.
        #expect(await Patience.ends { await scene.queue.shutdown() }, name)
        let statistics = await Self.settled(transport)
        let isSettled = statistics.inFlight == 0 && statistics.waiting == 0 && statistics.connecting == 0
        #expect(isSettled, "\(name): \(statistics), \(scene.witness.openExchanges)")
        let isWorking = await Patience.ends {
            for server in scene.servers {
                let url = URL(string: server.url + "/bytes/10")
                let response = try? await session.response(for: Request(url: #require(url)))
                #expect(response?.body.count == 10, name)
            }
        }
        #expect(isWorking, name)
        #expect(await Patience.ends { await session.shutdown(within: .seconds(5)) }, name)
        #expect(await Patience.holds { scene.witness.openCount == 0 }, name)
        #expect(scene.witness.faults.isEmpty, name)
        #expect(transport.statistics.open == 0, name)
        for server in scene.servers { try await server.waitForConnections { $0.open == 0 } }
        #expect(try scene.directory.names.allSatisfy { !$0.hasSuffix(".partial") }, name)
    }

    /// The statistics once nothing is under way, or after some seconds in which that did not come.
    private static func settled(_ transport: NIOTransport) async -> NIOTransport.Statistics {
        _ = await Patience.holds {
            let statistics = transport.statistics
            return statistics.inFlight == 0 && statistics.waiting == 0 && statistics.connecting == 0
        }
        return transport.statistics
    }
}
