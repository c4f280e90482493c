// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import Foundation
import HTTPTypes
import NIOCore

@testable import Bluebonnet

/// Single calls, and the stages that they pass.
extension StormCourse {
    private struct Zeros: BodyReader {
        var left: Int

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = min(buffer.count, self.left)
            buffer.prefix(count).copyBytes(from: [UInt8](repeating: 0, count: count))
            self.left -= count
            return count
        }
    }

    private func expect(_ status: Int, _ response: HTTPResponse.Status) throws {
        guard response.code == status else { throw StormFault("status \(response.code)") }
    }

    mutating func exchange() async throws {
        let session = self.scene.session
        let size = self.size()
        var request = try self.request("/bytes/\(size)")
        switch self.handle.operation {
        case .get:
            try StormFault.check(try await session.response(for: request).body.count, size)
        case .head:
            request.method = .head
            try self.expect(200, try await session.response(for: request).status)
        case .stream:
            var count = 0
            for try await buffer in try await session.send(request).body { count += buffer.readableBytes }
            try StormFault.check(count, size)
        case .dropped:
            for try await _ in try await session.send(request).body { break }
        case .lines:
            let lines = try self.request("/lines")
            var count = 0
            for try await _ in try await session.send(lines).lines { count += 1 }
            try StormFault.check(count, 2_000)
        case .upload, .chunkedUpload:
            request = try self.request("/count")
            request.method = .post
            let isKnown = self.handle.operation == .upload
            request.body =
                isKnown && size < 1000
                ? .data(Data(count: size))
                : .stream(length: isKnown ? Int64(size) : nil, makeReader: { Zeros(left: size) })
            let response = try await session.response(for: request)
            try StormFault.check(Int(String(decoding: response.body, as: UTF8.self)) ?? -1, size)
        case .progress:
            try await self.read(TransferMonitor(), request, size)
        default:
            request = try self.request("/hang", of: self.scene.servers[0].url)
            request.options.timeoutInterval = .milliseconds(Int.random(in: 1..<30, using: &self.random))
            try self.expect(200, try await session.response(for: request).status)
        }
    }

    /// Sends a request whose progress some tasks read, and one of them may cancel it.
    private mutating func read(_ monitor: TransferMonitor, _ request: Request, _ size: Int) async throws {
        let handle = self.handle
        let last = self.cancellers.event.map { $0 % 5 + 1 }
        let readers = (0..<3).map { number in
            Task {
                var count = 0
                for await _ in number == 0 ? monitor.upload : monitor.download {
                    count += 1
                    if count == last { handle.cancel() }
                }
            }
        }
        // A reader may leave, and be cancelled by the cancellation of the operation itself.
        if Bool.random(using: &self.random) { handle.onCancel { readers[1].cancel() } }
        let result: Result<Int, any Error>
        do {
            result = .success(try await self.scene.session.response(for: request, monitor: monitor).body.count)
        } catch {
            result = .failure(error)
        }
        for reader in readers { await reader.value }
        try StormFault.check(try result.get(), size)
    }

    mutating func pass() async throws {
        let session = self.scene.session
        switch self.handle.operation {
        case .hedged:
            var request = try self.request("/slow")
            request.retries = .idempotent(attempts: 2)
            request.retries?.hedgingDelay = .milliseconds(Int.random(in: 0..<4, using: &self.random))
            _ = try await session.response(for: request)
        case .shared:
            let request = try self.request("/shared")
            try StormFault.check(try await session.response(for: request).body.count, 3_000)
        case .cached:
            let request = try self.request("/cached")
            try StormFault.check(try await session.response(for: request).body.count, 2_000)
        case .redirected:
            let request = try self.request("/redirect/\(Int.random(in: 1..<6, using: &self.random))")
            try self.expect(200, try await session.response(for: request).status)
        case .guarded:
            _ = try await session.value(
                for: try self.request("/guarded", of: self.scene.servers[0].url),
                serializer: .data
            )
        case .flaky:
            _ = try await session.value(for: try self.request("/flaky"), serializer: .data)
        default:
            var request = try self.request("/bytes/30000")
            request.rateLimit = RateLimit(download: 1_000_000)
            let response = try await session.response(for: request)
            try StormFault.check(response.body.count, 30_000)
        }
    }

    mutating func wait() async throws {
        let isShared = Bool.random(using: &self.random)
        let monitor = isShared ? self.scene.monitor : ReachabilityMonitor(.host("127.0.0.1"))
        // A route to this machine is always there; that to the network is not, where the tests run in a container.
        let limit = Duration.milliseconds(Int.random(in: 0..<20, using: &self.random))
        _ = try await monitor.waitForRoute(within: limit)
    }
}
