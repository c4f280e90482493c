// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation
import Testing

/// Streams of events and lines from aiohttp, which cuts its connections.
@Suite(.timeLimit(.minutes(1)))
struct EventStreamTests {
    @Test
    func `no event is lost and none comes twice, however often the connection is cut`() async throws {
        try await ExternalServer.withSession(.events) { http, _ in
            var options = EventSource.Options()
            options.delays = .milliseconds(1) ... .milliseconds(5)
            var numbers: [String] = []
            for try await event in try await http.events("count", query: ["to": 200], reconnecting: options) {
                #expect(event.type == "count")
                #expect(event.data == "\(event.lastEventID) €\n🚀")
                numbers.append(event.lastEventID)
            }
            #expect(numbers == (1...200).map { "\($0)" })
        }
    }

    @Test
    func `lines of JSON become values`() async throws {
        struct Row: Decodable {
            var number: Int
        }
        try await ExternalServer.withSession(.events) { http, _ in
            var numbers: [Int] = []
            for try await row in try await http.stream("lines", query: ["to": 5_000]).jsonLines(as: Row.self) {
                numbers.append(row.number)
            }
            #expect(numbers == Array(0..<5_000))
        }
    }
}
