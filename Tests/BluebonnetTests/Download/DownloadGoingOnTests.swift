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
    static func configuration(
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
            #expect(error.downloadRemains?.byteCount == 60_000)
            #expect(served.requests.count >= 3)
            #expect(served.requests.count <= 10)
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

    @Test func `without a policy for retries the first break is the end`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 1000)
            let served = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(500))) })
            let error = try await scene.failing()
            #expect(error.downloadRemains?.byteCount == 500)
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
            #expect(error?.downloadRemains?.byteCount == 500)
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

    func observe(_ event: CallEvent, of call: Call) {
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
