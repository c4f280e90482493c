// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import MetricsTestKit
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct PoolMetricsTests {
    @Test func `counts what the pool does`() async throws {
        let metrics = TestMetrics()
        var configuration = NIOTransport.Configuration()
        configuration.metricsFactory = metrics
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine async throws in
            for _ in 0..<3 { _ = try await engine.send(engine.request(.get, "/status/204")) }
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
            let busy = Task { try await engine.send(engine.request(.get, "/busy")) }
            while try await engine.server.takeRequest().target != "/busy" {}
            #expect(try metrics.expectMeter("bluebonnet_pool_exchanges_in_flight").values.last == 1)
            var request = engine.request(.get, "/late")
            request.timeouts.queue = .milliseconds(20)
            await #expect(throws: TransportError.self) { try await engine.send(request) }
            busy.cancel()
            _ = await busy.result
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
            await engine.server.shutdown()
            await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            await engine.transport.shutdown()
        }
        func count(_ name: String) throws -> Int64 { try metrics.expectCounter("bluebonnet_pool_" + name).totalValue }
        #expect(try count("connections_opened") == 1)
        #expect(try count("connections_closed") == 1)
        #expect(try count("connections_failed") == 1)
        #expect(try count("exchanges_started") == 4)
        #expect(try count("exchanges_reused") == 3)
        #expect(try count("waits_timed_out") == 1)
        for meter in ["in_flight", "waiting"] {
            #expect(try metrics.expectMeter("bluebonnet_pool_exchanges_" + meter).values.last == 0)
        }
        #expect(try metrics.expectTimer("bluebonnet_pool_wait").values.count == 4)
    }
}
