// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationEssentials
import NIOCore
import TestSupport
import Testing

@testable import Bluebonnet

struct EventStreamParserTests {
    /// A row of `Fixtures/streams/event-streams.json`.
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        struct Event: Decodable, Sendable {
            var type: String?
            var data: String
            var id: String?
        }

        var name: String
        /// The stream as text, or its bytes in hexadecimal.
        var stream: String?
        var bytes: String?
        var events: [Event]
        /// What is left at the end; only looked at where the row says something.
        var lastEventID: String?
        var retry: Int64?

        var testDescription: String { self.name }

        var content: [UInt8] {
            self.bytes.map { $0.split(separator: " ").compactMap { UInt8($0, radix: 16) } }
                ?? Array((self.stream ?? "").utf8)
        }

        static func all() throws -> [Row] {
            let url = try #require(
                Bundle.module.url(forResource: "event-streams", withExtension: "json", subdirectory: "Fixtures/streams")
            )
            return try JSONDecoder().decode([Row].self, from: Data(contentsOf: url))
        }
    }

    @Test(arguments: try Row.all()) func `a stream is read to the letter of the standard`(_ row: Row) {
        self.check(row, .whole)
    }

    @Test(arguments: try Row.all()) func `a cut at any byte makes no difference`(_ row: Row) {
        for cut in Cut.several { self.check(row, cut) }
        for place in row.content.indices { self.check(row, .at(place)) }
    }

    private func check(_ row: Row, _ cut: Cut) {
        var parser = EventStreamParser()
        let (events, error) = parser.elements(of: row.content, cut: cut)
        #expect(error == nil)
        #expect(events.map { Array($0.data.utf8) } == row.events.map { Array($0.data.utf8) }, "\(cut)")
        #expect(events.map { Array($0.type.utf8) } == row.events.map { Array(($0.type ?? "message").utf8) }, "\(cut)")
        for (event, expected) in zip(events, row.events) {
            if let id = expected.id { #expect(Array(event.lastEventID.utf8) == Array(id.utf8), "\(cut)") }
        }
        if let id = row.lastEventID { #expect(parser.lastEventID == id, "\(cut)") }
        #expect(parser.reconnectionTime == row.retry.map { .milliseconds($0) }, "\(cut)")
    }

    /// A stream that is too large at one place, and how many events come before it.
    struct Excess: Sendable, CustomTestStringConvertible {
        var name: String
        var stream: String
        var count: Int
        var isRefused = true

        var testDescription: String { self.name }
    }

    static let excesses = [
        Excess(name: "a line at its limit", stream: "data: 12345678901234\n\n", count: 1, isRefused: false),
        Excess(name: "a line beyond it", stream: "data:1\n\ndata: 123456789012345\n\n", count: 1),
        Excess(name: "a line without an end", stream: "data:1\n\ndata: 123456789012345", count: 1),
        Excess(name: "a comment beyond it", stream: ":" + String(repeating: "x", count: 20) + "\n", count: 0),
        Excess(
            name: "data at its limit",
            stream: "data:123456789\ndata:12345678901234\n\n",
            count: 1,
            isRefused: false
        ),
        Excess(name: "data beyond it", stream: "data:1\n\ndata:1234567890\ndata:12345678901234\n\n", count: 1),
        Excess(name: "empty data beyond it", stream: String(repeating: "data\n", count: 30) + "\n", count: 0),
        Excess(name: "an id at its limit", stream: "id:12345\ndata:1\n\n", count: 1, isRefused: false),
        Excess(name: "an id beyond it", stream: "data:1\n\nid:123456\ndata:2\n\n", count: 1),
    ]

    @Test(arguments: excesses) func `what exceeds a limit is refused, wherever the stream is cut`(_ excess: Excess) {
        let limits = EventLimits(lineByteCount: 20, eventByteCount: 24, idByteCount: 5)
        let bytes = Array(excess.stream.utf8)
        for cut in Cut.several + bytes.indices.map({ .at($0) }) {
            var parser = EventStreamParser(limits: limits)
            let (events, error) = parser.elements(of: bytes, cut: cut)
            #expect(events.count == excess.count, "\(cut)")
            #expect(error?.code == (excess.isRefused ? .limitExceeded : nil), "\(cut)")
        }
    }

    /// One event in small buffers, many small events, lines without an end of their block, and fields that are ignored.
    @Test(arguments: ["one event", "many events", "many lines", "carriage returns", "comments"])
    func `time grows with the length of the stream and no faster`(_ kind: String) throws {
        let times = try Scaling.seconds { factor in
            let count = 3_000 * factor
            let text =
                switch kind {
                case "one event": "data: " + String(repeating: "x", count: count * 4) + "\n\n"
                case "many events": String(repeating: "data: x\n\n", count: count / 2)
                case "many lines": String(repeating: "data: x\n", count: count / 2)
                case "carriage returns": String(repeating: "data: x\r\r", count: count / 2)
                default: String(repeating: ": x\n", count: count)
                }
            let bytes = Array(text.utf8)
            return {
                var parser = EventStreamParser()
                #expect(parser.elements(of: bytes, cut: .every(512)).error == nil)
            }
        }
        #expect(times[3] / times[0] < Scaling.largestGrowth, "\(times)")
    }

    @Test func `the data of an event is decoded as JSON`() throws {
        struct Delta: Decodable, Equatable {
            var text: String
        }
        let event = ServerSentEvent(data: #"{"text":"Hi"}"#)
        #expect(try event.decode(Delta.self) == Delta(text: "Hi"))
        let error = #expect(throws: SessionError.self) { try ServerSentEvent(data: "[DONE]").decode(Delta.self) }
        #expect(error?.code == .serializationFailed)
    }
}
