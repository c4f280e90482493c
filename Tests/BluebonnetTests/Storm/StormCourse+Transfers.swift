// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import TestSupport

@testable import Bluebonnet

/// Files, tasks, queues and other sessions.
extension StormCourse {
    mutating func transfer() async throws {
        let session = self.scene.session
        let whole = Int(StormServer.file.byteCount)
        switch self.handle.operation {
        case .download:
            let size = self.size()
            let request = try self.request("/bytes/\(size)")
            try StormFault.check(Int(try await session.download(request, to: self.file).byteCount), size)
        case .continuedDownload, .parallelDownload:
            var policy = DownloadPolicy.resuming
            if self.handle.operation == .parallelDownload {
                policy.parallelism = 3
                policy.smallestRangeByteCount = 10_000
            }
            let request = try self.request("/file", of: self.scene.servers[0].url)
            let file = try await session.download(request, to: self.file, policy: policy)
            try StormFault.check(Int(file.byteCount), whole)
        case .resumableUpload:
            var upload = ResumableUpload.tus()
            upload.pieceSize = .fixed(3_000)
            let source = self.file
            try Data(count: 10_000).write(to: source)
            let request = try self.request("/files", of: self.scene.servers[0].url)
            _ = try await session.upload(source, with: request, resuming: upload)
        default: try await self.useQueue(whole)
        }
    }

    /// Adds a transfer, and changes its state a few times.
    private mutating func useQueue(_ whole: Int) async throws {
        let queue = self.scene.queue
        let url = try Peer.url(self.scene.servers[0].url + "/file")
        let id = try await queue.add(.download(url, to: self.file))
        self.handle.onCancel {
            // Without an owner: the queue is asked to, and the storm waits for the queue at its end.
            Task { try? await queue.cancel(id) }
        }
        for _ in 0..<Int.random(in: 0..<4, using: &self.random) {
            for _ in 0..<Int.random(in: 0..<100, using: &self.random) { await Task.yield() }
            switch Int.random(in: 0..<4, using: &self.random) {
            case 0: try await queue.pause(id)
            case 1: try await queue.cancel(id)
            default: try await queue.resume(id)
            }
        }
        self.handle.step = "removes its transfer"
        try await queue.remove(id)
        if queue[id] != nil { throw StormFault("the transfer is still there") }
        try Task.checkCancellation()
    }

    mutating func useTask() async throws {
        let session = self.scene.session
        let size = self.size()
        let request = try self.request("/bytes/\(size)")
        if self.handle.operation == .downloadTask {
            try await self.follow(session.downloadTask(with: request, to: self.file))
        } else {
            try await self.follow(session.dataTask(with: request, serializer: .data))
        }
    }

    private mutating func follow<Output>(_ task: SessionTask<Output>) async throws {
        self.handle.onCancel { task.cancel() }
        let count = Int.random(in: 0..<50, using: &self.random)
        switch self.handle.operation {
        case .suspendedTask:
            task.resume()
            task.suspend()
            for _ in 0..<count { await Task.yield() }
            task.resume()
        case .pausedTask:
            for _ in 0..<Int.random(in: 1..<6, using: &self.random) {
                task.resume()
                for _ in 0..<count { await Task.yield() }
                task.suspend()
            }
            task.resume()
        case .neverResumedTask:
            for _ in 0..<count { await Task.yield() }
            task.cancel()
            self.handle.cancel()
        default: task.resume()
        }
        self.handle.step = "waits for its task"
        // The value of a task that ends in spite of the cancellation is one, too.
        let first = Task { try await task.value }
        let second = Task { try await task.value }
        self.handle.onCancel { second.cancel() }
        _ = await second.result
        _ = try await first.value
    }

    /// Ends a session of its own while its calls are under way.
    mutating func endSession() async throws {
        var configuration = Session.Configuration()
        configuration.engine = StormScene.engine(self.scene.witness)
        configuration.maximumConcurrentRequests = 2
        configuration.observers = [self.scene.witness]
        let session = Session(configuration: configuration)
        let url = self.scene.servers[0].url
        let requests = try ["/bytes/1000", "/slow", "/slow", "/hang"].map { try self.request($0, of: url) }
        let calls = requests.map { request in Task { _ = try await session.response(for: request) } }
        self.handle.onCancel { for call in calls.dropFirst() { call.cancel() } }
        for _ in 0..<Int.random(in: 0..<200, using: &self.random) { await Task.yield() }
        self.handle.step = "ends its session"
        switch Int.random(in: 0..<3, using: &self.random) {
        case 0: await session.shutdown()
        case 1: await session.shutdown(within: .milliseconds(Int.random(in: 0..<10, using: &self.random)))
        default:
            session.invalidate(cancellingTasks: false)
            calls[3].cancel()
            await session.shutdown(within: .seconds(30))
        }
        self.handle.step = "waits for the calls of its session"
        var results: [Result<Void, any Error>] = []
        for call in calls { results.append(await call.result) }
        guard let transport = session.transport as? NIOTransport else { throw StormFault("another engine") }
        // A connection that was being made at the end is closed as soon as it is there.
        let isClosed = await Patience.holds { transport.statistics.open + transport.statistics.connecting == 0 }
        guard isClosed else { throw StormFault("a connection is open after the end of its session") }
        for result in results {
            switch result {
            case .failure(let error as SessionError) where error.code == .shutDown: break
            case .failure(let error) where !(error is CancellationError): throw error
            default: break
            }
        }
    }
}
