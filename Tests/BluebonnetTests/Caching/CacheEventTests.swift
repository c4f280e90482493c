// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import Bluebonnet

/// What observers are told of responses that the cache delivers in place of those of the server.
@Suite(.timeLimit(.minutes(1))) struct CacheEventTests {
    /// Keeps the statuses of the events, and the transport's requests in between.
    private struct Events: SessionObserver {
        let recorder = Recorder<String>()

        func observe(_ event: CallEvent, of call: Call) {
            switch event {
            case .responseReceived(let status, _, _): self.recorder.record("received \(status.code)")
            case .exchangeFailed(let error): self.recorder.record("failed \(error.code)")
            case .cacheAnswered(let status, let cacheStatus):
                self.recorder.record("cache \(status.code) \(cacheStatus)")
            case .redirected: self.recorder.record("redirected")
            case .callEnded: self.recorder.record("ended")
            default: break
            }
        }
    }

    /// One call after a first one whose response was stored, and what is told of it.
    struct Case: Sendable, CustomTestStringConvertible {
        var path: String
        /// The status of the second response of the server; nil for a server that is away.
        var status: Int?
        var seconds: Int64 = 0
        var cacheControl: String?
        var events: [String]
        var log: [String: String]

        var testDescription: String { "\(self.path) after \(self.seconds) s" }
    }

    static let cases = [
        Case(
            path: "/fresh",
            events: ["cache 200 Bluebonnet; hit; ttl=10", "ended"],
            log: ["status": "200", "cache": "Bluebonnet; hit; ttl=10"]
        ),
        Case(
            path: "/moved",
            events: [
                "cache 301 Bluebonnet; hit; ttl=10", "redirected", "cache 200 Bluebonnet; hit; ttl=10", "ended",
            ],
            log: ["status": "200", "cache": "Bluebonnet; hit; ttl=10"]
        ),
        Case(
            path: "/moved",
            status: 404,
            seconds: 20,
            events: ["received 404", "ended"],
            log: ["status": "404"]
        ),
        Case(
            path: "/fresh",
            status: 304,
            seconds: 20,
            events: ["received 304", "cache 200 Bluebonnet; fwd=stale; fwd-status=304; ttl=10", "ended"],
            log: ["status": "200"]
        ),
        Case(
            path: "/fresh",
            status: 503,
            seconds: 20,
            events: [
                "received 503", "cache 200 Bluebonnet; fwd=stale; fwd-status=503; ttl=-10; detail=stale-if-error",
                "ended",
            ],
            log: ["status": "200"]
        ),
        Case(
            path: "/fresh",
            seconds: 20,
            events: [
                "failed connectFailed", "cache 200 Bluebonnet; fwd=stale; ttl=-10; detail=stale-if-error", "ended",
            ],
            log: ["status": "200"]
        ),
        Case(
            path: "/none",
            cacheControl: "only-if-cached",
            events: ["cache 504 Bluebonnet; detail=only-if-cached", "ended"],
            log: ["status": "504", "cache": "Bluebonnet; detail=only-if-cached"]
        ),
    ]

    @Test(.bug(id: "F813"), arguments: Self.cases)
    func `an event and the log tell the status that the call gets`(_ test: Case) async throws {
        let seconds = Mutex<Int64>(1_000_000)
        let isLater = Mutex(false)
        let fields: HTTPFields = [.cacheControl: "max-age=10, stale-if-error=100", .eTag: "\"a\""]
        let transport = StubTransport { request in
            guard isLater.withLock({ $0 }) else {
                guard request.path == "/moved" else { return .plain("a", headers: fields) }
                return .plain("", status: 301, headers: fields.with(.location, "/fresh"))
            }
            guard let status = test.status else {
                throw TransportError(.connectFailed, phase: .connect, reason: "refused")
            }
            return .plain("", status: status)
        }
        var configuration = Session.Configuration()
        // The time that a response takes is part of its age.
        configuration.clock = ManualSessionClock().clock
        let (events, records) = (Events(), Recorder<RecordingLogHandler.Record>())
        configuration.observers = [events, .logging(records.logger(level: .trace))]
        configuration.cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        configuration.cache?.wallClock = WallClock { seconds.withLock { $0 } }
        let session = Session(configuration: configuration, transport: transport)
        if test.path != "/none" {
            _ = try await session.response(for: AuthenticationStageTests.request("http://h\(test.path)"))
        }
        isLater.withLock { $0 = true }
        seconds.withLock { $0 += test.seconds }
        let before = events.recorder.elements.count
        var request = try AuthenticationStageTests.request("http://h\(test.path)")
        request.headers[.cacheControl] = test.cacheControl
        let response = try await session.response(for: request)
        #expect(Array(events.recorder.elements.dropFirst(before)) == test.events)
        let record = try #require(records.elements.last)
        #expect(record["status"] == "\(response.status.code)")
        for (key, value) in test.log { #expect(record[key] == value) }
        #expect((record["cache"] == nil) == !test.events.contains { $0.hasPrefix("cache") })
    }
}

extension HTTPFields {
    fileprivate func with(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
        var fields = self
        fields[name] = value
        return fields
    }
}
