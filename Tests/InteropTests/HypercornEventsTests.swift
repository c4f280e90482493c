// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

/// Streams of events, and attempts side by side, over HTTP/2.
@Suite(.timeLimit(.minutes(1)))
struct HypercornEventsTests {
    private static func withSession(
        _ change: (inout Session.Configuration) -> Void = { _ in },
        _ body: (HTTPSession) async throws -> Void
    ) async throws {
        try await ExternalServer.run(.hypercornEvents) { server in
            var configuration = Session.Configuration()
            configuration.engine = NIOTransport.Configuration()
            configuration.engine?.proxy = .direct
            configuration.httpVersions = .http2
            change(&configuration)
            let base = try #require(server.http2)
            let http = HTTPSession(baseURL: base, configuration: configuration)
            do {
                try await body(http)
            } catch {
                await http.session.shutdown()
                throw error
            }
            await http.session.shutdown()
        }
    }

    @Test func `no event is lost and none comes twice, however often streams and connections are cut`() async throws {
        try await Self.withSession { http in
            var options = EventSource.Options()
            options.delays = .milliseconds(1) ... .milliseconds(5)
            var numbers: [String] = []
            for try await event in try await http.events("count", query: ["to": 100], reconnecting: options) {
                #expect(event.type == "count" && event.data == "\(event.lastEventID) €")
                numbers.append(event.lastEventID)
            }
            #expect(numbers == (1...100).map { "\($0)" })
        }
    }

    @Test func `the attempt that loses is reset, and the connection stays`() async throws {
        struct Counts: Decodable {
            var resets: Int
            var connections: Int
        }
        try await Self.withSession { configuration in
            configuration.retries = .idempotent(attempts: 2)
            configuration.retries.hedgingDelay = .milliseconds(20)
        } _: { http in
            let response = try await http.get("slow-first")
            #expect(response.body == Data("second".utf8))
            let counts = try await http.get("resets", as: Counts.self)
            #expect(counts.resets == 1)
            #expect(counts.connections == 1)
        }
    }
}
