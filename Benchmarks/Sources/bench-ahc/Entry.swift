// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import BenchmarkSupport
import NIOCore
import _NIOFileSystem

/// AsyncHTTPClient on its shared event loops, with as many connections as there are requests.
struct AsyncHTTPClientPeer: Peer {
    let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        self.client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func get(_ url: String) async throws -> Int {
        let reply = try await self.client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
        guard reply.status == .ok else { throw WrongReply("status \(reply.status)") }
        return try await reply.body.collect(upTo: 1 << 20).readableBytes
    }

    func download(_ url: String) async throws -> Int64 {
        let reply = try await self.client.execute(HTTPClientRequest(url: url), timeout: .seconds(120))
        guard reply.status == .ok else { throw WrongReply("status \(reply.status)") }
        var count: Int64 = 0
        for try await buffer in reply.body { count += Int64(buffer.readableBytes) }
        return count
    }

    func upload(_ path: String, to url: String) async throws {
        try await FileSystem.shared.withFileHandle(forReadingAt: FilePath(path)) { file in
            let length = try await file.info().size
            var request = HTTPClientRequest(url: url)
            request.method = .PUT
            request.body = .stream(file.readChunks(), length: .known(length))
            let reply = try await self.client.execute(request, timeout: .seconds(120))
            guard reply.status == .ok else { throw WrongReply("status \(reply.status)") }
            _ = try await reply.body.collect(upTo: 1 << 20)
        }
    }

    func shutdown() async throws { try await self.client.shutdown() }
}

@main
struct Entry {
    static func main() async {
        await Workload.run(AsyncHTTPClientPeer())
    }
}
