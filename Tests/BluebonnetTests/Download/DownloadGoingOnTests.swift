// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads whose responses break off, in a session with a policy for retries.
@Suite(.timeLimit(.minutes(1))) struct DownloadGoingOnTests {
    private static func configuration(
        attempts: Int = 3,
        observers: [any SessionObserver] = []
    ) -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.retries = .idempotent(attempts: attempts)
        configuration.retries.backoff = .none
        configuration.observers = observers
        return configuration
    }

    @Test(arguments: [DownloadPolicy.Resume.never, .always])
    func `a body that breaks off at any byte goes on there, whatever is kept afterwards`(
        _ resume: DownloadPolicy.Resume
    ) async throws {
        try await DownloadScene.run(Self.configuration(attempts: 2)) { scene in
            let origin = RangeOrigin()
            for cut in 0...origin.byteCount - 1 {
                let path = "/\(cut)"
                let served = scene.serve(origin, cutAt: cut, at: path)
                let digest = try ContentDigest(.sha256, hexadecimal: try await origin.sha256)
                let policy = DownloadPolicy(resume: resume, digest: digest)
                let file = try await scene.download(path, policy: policy)
                #expect(served.ranges == [nil, cut == 0 ? nil : "bytes=\(cut)-"])
                #expect(file.resumedOffset == 0)
                #expect(file.restart == nil)
                #expect(try scene.directory.names == ["a"])
                #expect(try scene.directory.contents("a") == origin.bytes)
                try FileManager.default.removeItem(at: scene.directory.file("a"))
            }
        }
    }

    @Test func `what has moved on has all its attempts again`() async throws {
        let events = EventLog()
        try await DownloadScene.run(Self.configuration(attempts: 3, observers: [events])) { scene in
            let origin = RangeOrigin(byteCount: 400_000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(100_000))) },
                { origin.response(to: $0, .reset(.afterBody(100_000))) },
                { origin.response(to: $0, .close(.afterBody(100_000))) },
                { origin.response(to: $0, .close(.afterBody(10_000))) },
                { origin.response(to: $0, .close(.afterBody(10_000))) },
                { origin.response(to: $0) }
            )
            let monitor = TransferMonitor()
            let file = try await scene.session.download(
                scene.request(),
                to: scene.directory.file("a"),
                policy: .resuming,
                monitor: monitor
            )
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(served.ranges.first == .some(nil))
            #expect(served.ranges.dropFirst().allSatisfy { $0 != nil })
            #expect(file.rangeCount == served.requests.count)
            #expect(monitor.download.current == TransferProgress(completed: 400_000, total: 400_000))
            #expect(monitor.download.isFinished)
            #expect(events.retryCount == served.requests.count - 1)
            #expect(events.endCount == 1)
        }
    }

    @Test func `what does not move on ends with the policy, and keeps what it has`() async throws {
        try await DownloadScene.run(Self.configuration(attempts: 3)) { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(60_000))) },
                { origin.response(to: $0, .close(.afterHead)) }
            )
            let error = try await scene.failing()
            #expect(error.code == .connectionClosed)
            #expect(error.remains?.byteCount == 60_000)
            #expect(served.requests.count >= 3)
            #expect(served.requests.count <= 10)
        }
    }

    /// RFC 9110 section 14.4: `*` says that the length is not known, and a part may be any part of what was asked for.
    @Test func `a part of a whole of unknown length is not its end before the server says so`() async throws {
        try await DownloadScene.run(Self.configuration(attempts: 2)) { scene in
            let origin = RangeOrigin(byteCount: 1000, framing: .chunked(byteCount: 50))
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(100))) },
                { _ in
                    var response = origin.response(range: "bytes=100-499", condition: nil)
                    response.headers[.contentRange] = "bytes 100-499/*"
                    return response
                },
                { origin.response(to: $0) }
            )
            _ = try await scene.download(policy: .resuming)
            #expect(served.ranges == [nil, "bytes=100-", "bytes=500-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
            try FileManager.default.removeItem(at: scene.directory.file("a"))
            // And where there is no more, the server says that.
            let whole = scene.serve(
                "/whole",
                { origin.response(to: $0, .close(.afterBody(100))) },
                { request in
                    var response = origin.response(to: request)
                    if response.status == .partialContent { response.headers[.contentRange] = "bytes 100-999/*" }
                    return response
                }
            )
            _ = try await scene.download("/whole", policy: .resuming)
            #expect(whole.ranges == [nil, "bytes=100-", "bytes=1000-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(.bug(id: "F492"), arguments: [ScriptedResponse.Framing.untilClose, .chunked(byteCount: 100)], [false, true])
    func `a part of unknown total that ends early is not the whole`(
        _ framing: ScriptedResponse.Framing,
        _ goesOn: Bool
    ) async throws {
        var configuration = goesOn ? Self.configuration() : Session.Configuration()
        if goesOn { configuration.retries.failures.insert(.init(.incompleteDownload)) }
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 4000, framing: .chunked(byteCount: 100))
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(1000))) },
                { _ in
                    var response = origin.response(range: "bytes=1000-1399", condition: nil)
                    response.headers[.contentRange] = "bytes 1000-3999/*"
                    response.framing = framing
                    return response
                },
                { origin.response(to: $0) }
            )
            if !goesOn {
                try await scene.failing()
                let error = try await scene.failing()
                #expect(error.code == .incompleteDownload)
                #expect(error.remains?.byteCount == 1400)
                #expect(try !scene.directory.names.contains("a"))
            }
            let file = try await scene.download()
            #expect(file.byteCount == 4000)
            #expect(served.ranges == [nil, "bytes=1000-", "bytes=1400-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(.bug(id: "F492")) func `a part that the caller asked for and that ends early is not saved`() async throws {
        try await DownloadScene.run { scene in
            _ = scene.serve("/file") { _ in
                var response = RangeOrigin(byteCount: 1000).response(range: "bytes=0-99", condition: nil)
                response.headers[.contentRange] = "bytes 0-199/1000"
                response.framing = .untilClose
                return response
            }
            var request = try scene.request()
            request.headers[.range] = "bytes=0-199"
            let sent = request
            let error = await #expect(throws: SessionError.self) {
                try await scene.session.download(sent, to: scene.directory.file("a"))
            }
            #expect(error?.code == .incompleteDownload)
            #expect(try scene.directory.names == [])
        }
    }

    @Test(.bug(id: "F221"), arguments: ["*", "4000"])
    func `a short part is followed by a request for the rest, though an earlier version had more bytes`(
        _ total: String
    ) async throws {
        try await DownloadScene.run(Self.configuration(attempts: 4)) { scene in
            let first = RangeOrigin(byteCount: 4000, framing: .chunked(byteCount: 100))
            let second = RangeOrigin(
                byteCount: 4000,
                entityTag: #""b""#,
                shift: 5,
                framing: .chunked(byteCount: 100)
            )
            let served = scene.serve(
                "/file",
                { first.response(to: $0, .close(.afterBody(1000))) },
                { second.response(to: $0, .close(.afterBody(300))) },
                { request in
                    var response = second.response(range: "bytes=300-499", condition: request.headers[.ifRange])
                    response.headers[.contentRange] = "bytes 300-499/\(total)"
                    return response
                },
                { second.response(to: $0) }
            )
            let file = try await scene.download()
            #expect(served.ranges == [nil, "bytes=1000-", "bytes=300-", "bytes=500-"])
            #expect(file.restart == .changed)
            #expect(file.byteCount == 4000)
            #expect(try scene.directory.contents("a") == second.bytes)
        }
    }

    /// RFC 9110 section 15.3.7: the response to If-Range should not repeat the fields of the representation.
    ///
    /// At the length of the file, the response is a 416, whose fields are those of an error.
    @Test(.bug(id: "F223"), arguments: [500, 1000] as [Int64])
    func `the fields of the first response are those of the file, whatever the rest repeats`(
        _ cut: Int64
    ) async throws {
        try await DownloadScene.run(Self.configuration()) { scene in
            let disposition = #"attachment; filename="report.pdf""#
            let first = RangeOrigin(
                byteCount: 1000,
                fields: [.contentType: "application/pdf", .contentDisposition: disposition, .server: "old"],
                framing: .chunked(byteCount: 50)
            )
            let rest = RangeOrigin(byteCount: 1000, fields: [.server: "new"], framing: .chunked(byteCount: 50))
            let served = scene.serve(
                "/file",
                { first.response(to: $0, .close(.afterBody(cut))) },
                { rest.response(to: $0) }
            )
            var policy = DownloadPolicy.resuming
            policy.validation.acceptableContentTypes = ["application/pdf"]
            let file = try await scene.download(policy: policy)
            #expect(served.ranges == [nil, "bytes=\(cut)-"])
            #expect(file.response.status == .ok)
            #expect(file.response.headers[.contentType] == "application/pdf")
            #expect(file.response.headers[.contentDisposition] == disposition)
            #expect(file.response.headers[.contentRange] == nil)
            #expect(file.response.headers[values: .server] == [cut == 500 ? "new" : "old"])
            #expect(try scene.directory.contents("a") == first.bytes)
        }
    }

    @Test func `the function that decides about another attempt has no longer than the call`() async throws {
        var configuration = Self.configuration()
        configuration.retries = RetryPolicy { _ in try await untilCancelled() }
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 1000)
            _ = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(500))) })
            var request = try scene.request()
            request.options.totalTimeout = .milliseconds(300)
            let sent = request
            let error = await #expect(throws: SessionError.self) {
                try await scene.session.download(sent, to: scene.directory.file("a"), policy: .resuming)
            }
            #expect(error?.code == .timedOut)
        }
    }

    @Test(.bug(id: "F278"), arguments: [412, 416])
    func `a useless response whose body never ends does not hold the download`(_ status: Int) async throws {
        let clock = ManualSessionClock()
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 1000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(500))) },
                { _ in
                    ScriptedResponse(
                        status: .init(code: status),
                        body: .pattern(10_000),
                        effect: .stall(.afterBody(100))
                    )
                },
                { origin.response(to: $0) }
            )
            try await scene.failing()
            let task = Task { try await scene.download() }
            await clock.waitForSleeps(1)
            clock.advance(by: .seconds(1))
            #expect(try await task.value.byteCount == 1000)
            #expect(served.ranges == [nil, "bytes=500-", nil])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(.bug(id: "F442"), arguments: [202, 204, 205])
    func `a 204 to the request for the rest is an error, and the bytes stay`(_ status: Int) async throws {
        try await DownloadScene.run(Self.configuration()) { scene in
            let origin = RangeOrigin(byteCount: 1000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(300))) },
                { _ in ScriptedResponse(status: .init(code: status), headers: [.eTag: #""a""#]) },
                { origin.response(to: $0) }
            )
            let error = try await scene.failing()
            #expect(error.code == .unacceptableStatus)
            #expect(error.response?.status.code == status)
            #expect(error.remains?.byteCount == 300)
            let file = try await scene.download()
            #expect(file.resumedOffset == 300)
            #expect(served.ranges == [nil, "bytes=300-", "bytes=300-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `without a policy for retries the first break is the end`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 1000)
            let served = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(500))) })
            let error = try await scene.failing()
            #expect(error.remains?.byteCount == 500)
            #expect(served.requests.count == 1)
        }
    }

    @Test func `bytes that cannot be told from others are asked for again, as often as the policy says`() async throws {
        try await DownloadScene.run(Self.configuration(attempts: 3)) { scene in
            let origin = RangeOrigin(byteCount: 1000, entityTag: nil)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(500))) },
                { origin.response(to: $0, .close(.afterBody(700))) },
                { origin.response(to: $0) }
            )
            let file = try await scene.download(policy: DownloadPolicy())
            #expect(served.ranges == [nil, nil, nil])
            #expect(file.rangeCount == 1)
            #expect(file.byteCount == 1000)
            #expect(try scene.directory.contents("a") == origin.bytes)

            let endless = scene.serve("/endless", { origin.response(to: $0, .close(.afterBody(700))) })
            try FileManager.default.removeItem(at: scene.directory.file("a"))
            #expect(try await scene.failing("/endless", policy: DownloadPolicy()).code == .connectionClosed)
            #expect(endless.requests.count == 3)
            #expect(try scene.directory.names.isEmpty)
        }
    }

    @Test func `a file that changes in the middle starts again, and never for ever`() async throws {
        try await DownloadScene.run(Self.configuration(attempts: 3)) { scene in
            let first = RangeOrigin(byteCount: 1000)
            let second = RangeOrigin(byteCount: 900, entityTag: #""b""#, shift: 5)
            let served = scene.serve(
                "/file",
                { first.response(to: $0, .close(.afterBody(500))) },
                { second.response(to: $0, .close(.afterBody(100))) },
                { second.response(to: $0) }
            )
            let file = try await scene.download()
            #expect(served.ranges == [nil, "bytes=500-", "bytes=100-"])
            #expect(file.restart == .changed)
            #expect(file.rangeCount == 2, "the first response brought nothing that is in the file")
            #expect(try scene.directory.contents("a") == second.bytes)

            // Another version for each request: what was had before is never reached.
            let counter = Mutex(0)
            let restless = scene.serve("/restless") { request in
                let number = counter.withLock { number -> Int in
                    number += 1
                    return number
                }
                return RangeOrigin(byteCount: 1000, entityTag: "\"\(number)\"")
                    .response(to: request, .close(.afterBody(500)))
            }
            try FileManager.default.removeItem(at: scene.directory.file("a"))
            #expect(try await scene.failing("/restless").code == .connectionClosed)
            #expect(restless.requests.count == 3)
        }
    }

    @Test func `several parts that all break go on with the gaps alone`() async throws {
        try await DownloadScene.run(Self.configuration(attempts: 4)) { scene in
            let origin = RangeOrigin(byteCount: 1_000_000, fields: [.acceptRanges: "bytes"])
            let effects = Mutex(6)
            let served = scene.serve("/file") { request in
                let breaks = effects.withLock { left -> Bool in
                    left -= 1
                    return left >= 0
                }
                return origin.response(to: request, breaks ? .close(.afterBody(100_000)) : nil)
            }
            var policy = DownloadPolicy(
                resume: .always,
                digest: try ContentDigest(.sha256, hexadecimal: try await origin.sha256),
                parallelism: 2
            )
            policy.smallestRangeByteCount = 50_000
            let file = try await scene.download(policy: policy)
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
            #expect(file.resumedOffset == 0)
            #expect(file.rangeCount > 6)
            #expect(served.ranges.filter { $0 == nil }.count == 1, "\(served.ranges)")
        }
    }

    @Test(arguments: [Session.Configuration(), Self.configuration()])
    func `a server that gives less than it was asked for is asked again`(
        _ configuration: Session.Configuration
    ) async throws {
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            let broken = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(30_000))) })
            var request = try scene.request()
            request.retries = RetryPolicy.never
            let sent = request
            await #expect(throws: SessionError.self) {
                try await scene.session.download(sent, to: scene.directory.file("a"), policy: .resuming)
            }
            #expect(broken.requests.count == 1)

            let served = scene.serve("/file") { request in
                let first = request.headers[.range]?.dropFirst("bytes=".count).prefix { $0 != "-" }
                let start = first.flatMap { Int($0) } ?? 0
                let range = "bytes=\(start)-\(start + 19_999)"
                return origin.response(range: range, condition: request.headers[.ifRange])
            }
            let file = try await scene.download()
            #expect(served.ranges == [30_000, 50_000, 70_000, 90_000].map { "bytes=\($0)-" })
            #expect(file.resumedOffset == 30_000)
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `no wait goes past the deadline, and the budget counts`() async throws {
        let events = EventLog()
        var configuration = Self.configuration(attempts: 10, observers: [events])
        configuration.retries.backoff = .init(initial: .seconds(3600), maximum: .seconds(3600))
        configuration.retries.surroundings.random = { 1 }
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 1000)
            let served = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(500))) })
            var request = try scene.request()
            request.options.totalTimeout = .seconds(30)
            let sent = request
            let error = await #expect(throws: SessionError.self) {
                try await scene.session.download(sent, to: scene.directory.file("a"), policy: .resuming)
            }
            #expect(error?.code == .connectionClosed)
            #expect(error?.remains?.byteCount == 500)
            #expect(served.requests.count == 1)
            #expect(events.refusals == [.deadline])
        }
        let spent = EventLog()
        configuration = Self.configuration(attempts: 10, observers: [spent])
        configuration.retryBudget = RetryBudget(share: 0, minimumPerSecond: 0)
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 1000)
            let served = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(500))) })
            let error = try await scene.failing()
            #expect(error.code == .connectionClosed)
            #expect(served.requests.count == 1)
            #expect(spent.refusals == [.budget])
        }
    }

    @Test func `a task is cancelled while it waits to go on`() async throws {
        var configuration = Self.configuration()
        configuration.retries.backoff = .init(initial: .seconds(3600), maximum: .seconds(3600))
        configuration.retries.surroundings.random = { 1 }
        let events = EventLog()
        configuration.observers = [events]
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 1000)
            _ = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(500))) })
            let request = try scene.request()
            let task = Task {
                try await scene.session.download(request, to: scene.directory.file("a"), policy: .resuming)
            }
            await events.waitForRetry()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try scene.directory.names == [".a.bluebonnet-part", ".a.bluebonnet-part.journal"])
        }
    }
}

/// Counts what a session tells of retries and of ends.
private final class EventLog: SessionObserver {
    private struct State {
        var retryCount = 0
        var endCount = 0
        var refusals: [RetryRefusal] = []
    }

    private let state = Mutex(State())
    private let retries = AsyncStream.makeStream(of: Void.self)

    var retryCount: Int { self.state.withLock { $0.retryCount } }
    var endCount: Int { self.state.withLock { $0.endCount } }
    var refusals: [RetryRefusal] { self.state.withLock { $0.refusals } }

    func waitForRetry() async {
        for await _ in self.retries.stream { return }
    }

    func observe(_ event: SessionEvent, of call: Call) {
        self.state.withLock { state in
            switch event {
            case .retryScheduled: state.retryCount += 1
            case .retryRefused(let refusal): state.refusals.append(refusal)
            case .callEnded, .callFailed, .callCancelled: state.endCount += 1
            default: break
            }
        }
        if case .retryScheduled = event { self.retries.continuation.yield() }
    }
}
