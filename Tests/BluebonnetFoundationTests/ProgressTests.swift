// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetFoundation

@Suite(.timeLimit(.minutes(1))) struct ProgressTests {
    /// Gives buffers as often as it is told to.
    private final class Valve: ResponseBody.Source {
        let buffers: AsyncStream<ByteBuffer>
        let continuation: AsyncStream<ByteBuffer>.Continuation

        init() {
            (self.buffers, self.continuation) = AsyncStream.makeStream()
        }

        func give(_ count: Int) { self.continuation.yield(ByteBuffer(repeating: 1, count: count)) }

        func next() async throws -> ByteBuffer? {
            for await buffer in self.buffers { return buffer }
            try Task.checkCancellation()
            return nil
        }
    }

    private static func session(_ valve: Valve, length: Int64?) -> Session {
        Session(
            transport: StubTransport { _ in
                TransportResponse(status: .ok, body: ResponseBody(source: valve, expectedLength: length))
            }
        )
    }

    private static func request() throws -> Request {
        Request(url: try #require(URL(string: "http://h/")))
    }

    private static func wait(until isTrue: () -> Bool) async {
        while !isTrue() { await Task.yield() }
    }

    @Test func `a progress follows a download to its last step`() async throws {
        let valve = Valve()
        let session = Self.session(valve, length: 10)
        let task = session.dataTask(with: try Self.request(), serializer: .data)
        let progress = task.makeDownloadProgress()
        #expect(progress.isIndeterminate && progress.isCancellable && progress.isPausable)
        task.resume()
        valve.give(4)
        await Self.wait { progress.completedUnitCount == 4 }
        #expect(progress.totalUnitCount == 10)
        valve.give(6)
        valve.continuation.finish()
        #expect(try await task.value.count == 10)
        await Self.wait { progress.isFinished }
        #expect(progress.completedUnitCount == 10)
    }

    @Test(.bug(id: "F564"))
    func `a progress without a total is indeterminate until the body has ended, and then finished`() async throws {
        let valve = Valve()
        let task = Self.session(valve, length: nil).dataTask(with: try Self.request(), serializer: .data)
        let parent = Progress.discreteProgress(totalUnitCount: 1)
        let progress = task.makeDownloadProgress()
        parent.addChild(progress, withPendingUnitCount: 1)
        task.resume()
        valve.give(4)
        await Self.wait { progress.completedUnitCount == 4 }
        #expect(progress.isIndeterminate)
        valve.continuation.finish()
        _ = try await task.value
        try #require(task.downloadProgress.current == TransferProgress(completed: 4, total: 4))
        await Self.wait { parent.isFinished }
        #expect(parent.fractionCompleted == 1)
    }

    @Test func `cancelling a parent cancels the task`() async throws {
        let valve = Valve()
        let task = Self.session(valve, length: 10).dataTask(with: try Self.request(), serializer: .data)
        let parent = Progress(totalUnitCount: 1)
        parent.addChild(task.makeDownloadProgress(), withPendingUnitCount: 1)
        task.resume()
        valve.give(5)
        await Self.wait { parent.fractionCompleted == 0.5 }
        parent.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `pausing suspends the task, and resuming lets it continue`() async throws {
        let valve = Valve()
        let task = Self.session(valve, length: 10).dataTask(with: try Self.request(), serializer: .data)
        let progress = task.makeDownloadProgress()
        task.resume()
        progress.pause()
        // Foundation calls the handlers on threads of its own.
        await Self.wait { task.state == .suspended }
        valve.give(10)
        valve.continuation.finish()
        progress.resume()
        #expect(try await task.value.count == 10)
    }

    @Test(.bug(id: "F561")) func `a task that its progress has not paused is not resumed`() throws {
        let task = Self.session(Valve(), length: 10).dataTask(with: try Self.request(), serializer: .data)
        let progress = task.makeDownloadProgress()
        // What `resume()` of the progress or a parent calls, on a thread of its own.
        let resumed = try #require(progress.resumingHandler)
        resumed()
        #expect(task.state == .suspended)
        task.cancel()
    }

    @Test func `a task runs after the last of many pauses has ended`() async throws {
        let valve = Valve()
        let task = Self.session(valve, length: 10).dataTask(with: try Self.request(), serializer: .data)
        let progress = task.makeDownloadProgress()
        task.resume()
        for _ in 0..<100 {
            progress.pause()
            progress.resume()
        }
        valve.give(10)
        valve.continuation.finish()
        #expect(try await task.value.count == 10)
    }

    @Test func `a progress of a request's body is complete after the call`() async throws {
        let session = Session(transport: StubTransport { _ in TransportResponse(status: .ok) })
        var request = try Self.request()
        request.method = .post
        request.body = .data(Data(count: 100))
        let monitor = TransferMonitor()
        let progress = monitor.upload.makeProgress()
        #expect(!progress.isCancellable && !progress.isPausable)
        _ = try await session.response(for: request, monitor: monitor)
        await Self.wait { progress.isFinished }
        #expect(progress.totalUnitCount == 100)
    }

    @Test(.bug(id: "F208"))
    func `a progress of an empty body is finished, and so is its part of a parent`() async throws {
        let session = Session(transport: StubTransport { _ in TransportResponse(status: .ok) })
        let parent = Progress.discreteProgress(totalUnitCount: 2)
        let monitor = TransferMonitor()
        let parts = [monitor.upload, monitor.download].map { $0.makeProgress() }
        for part in parts { parent.addChild(part, withPendingUnitCount: 1) }
        var request = try Self.request()
        request.method = .post
        request.body = .data(Data())
        _ = try await session.response(for: request, monitor: monitor)
        await Self.wait { parts.allSatisfy(\.isFinished) }
        #expect(parent.fractionCompleted == 1 && parent.isFinished)
    }

    @Test(.bug(id: "F503"))
    func `a progress of a request that the cache answers is finished, and so is its part of a parent`() async throws {
        var configuration = Session.Configuration()
        configuration.cache = .memory()
        let session = Session(
            configuration: configuration,
            transport: StubTransport { _ in
                TransportResponse(
                    status: .ok,
                    headers: [.cacheControl: "max-age=60"],
                    body: ResponseBody(ByteBuffer(string: "abc"))
                )
            }
        )
        _ = try await session.response(for: try Self.request())
        let task = session.dataTask(with: try Self.request(), serializer: .data)
        let parent = Progress.discreteProgress(totalUnitCount: 2)
        for part in [task.makeUploadProgress(), task.makeDownloadProgress()] {
            parent.addChild(part, withPendingUnitCount: 1)
        }
        task.resume()
        #expect(try await task.value.count == 3)
        #expect(task.response?.cacheStatus?.isHit == true)
        try #require(task.uploadProgress.current == TransferProgress(completed: 0, total: 0))
        await Self.wait { parent.isFinished }
        #expect(parent.fractionCompleted == 1)
    }

    @Test(arguments: [
        // Nothing to transfer at first, and something in a second attempt.
        (
            [TransferProgress(total: 0), TransferProgress(total: 10), TransferProgress(completed: 4, total: 10)],
            ["total 1", "completed 1", "completed 0", "total 10", "completed 4"]
        ),
        ([TransferProgress(completed: 4, total: 10)], ["total 10", "completed 4"]),
        ([TransferProgress(completed: 4), TransferProgress(completed: 6)], ["completed 4", "completed 6"]),
        // A second attempt, with a shorter body.
        (
            [TransferProgress(completed: 9, total: 10), TransferProgress(completed: 2, total: 5)],
            ["total 10", "completed 9", "completed 2", "total 5"]
        ),
    ])
    func `there are never more bytes than the total`(_ steps: [TransferProgress], _ expected: [String]) {
        let progress = RecordingProgress(parent: nil)
        for step in steps { progress.set(step) }
        #expect(progress.changes == expected)
    }
}

/// Keeps the order in which its counts are set.
private final class RecordingProgress: Progress, @unchecked Sendable {
    private(set) var changes: [String] = []
    private var counts: (total: Int64, completed: Int64) = (-1, 0)

    override var totalUnitCount: Int64 {
        get { self.counts.total }
        set {
            self.counts.total = newValue
            self.changes.append("total \(newValue)")
        }
    }

    override var completedUnitCount: Int64 {
        get { self.counts.completed }
        set {
            self.counts.completed = newValue
            self.changes.append("completed \(newValue)")
        }
    }
}
