// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import BenchmarkSupport
import NIOCore
import NIOSSL
import _NIOFileSystem

/// AsyncHTTPClient on its shared event loops, with as many connections as requests.
struct AsyncHTTPClientPeer: Peer {
    let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Surroundings.connectionCount
        configuration.httpVersion = Surroundings.isHTTP2 ? .automatic : .http1Only
        if let root = Surroundings.root {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(root)
            configuration.tlsConfiguration = tls
        }
        self.client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func get(_ url: String, closes: Bool) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        if closes { request.headers.add(name: "Connection", value: "close") }
        let response = try await self.client.execute(request, timeout: .seconds(30))
        guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
        return try await response.body.collect(upTo: 1 << 20).readableBytes
    }

    func download(_ url: String) async throws -> Int64 {
        let response = try await self.client.execute(HTTPClientRequest(url: url), timeout: .seconds(120))
        guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
        var count: Int64 = 0
        for try await buffer in response.body { count += Int64(buffer.readableBytes) }
        return count
    }

    func save(_ url: String, to path: String) async throws {
        let response = try await self.client.execute(HTTPClientRequest(url: url), timeout: .seconds(120))
        guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
        let options = OpenOptions.Write.newFile(replaceExisting: false)
        try await FileSystem.shared.withFileHandle(forWritingAt: FilePath(path), options: options) { file in
            var writer = file.bufferedWriter()
            for try await buffer in response.body { _ = try await writer.write(contentsOf: buffer) }
            try await writer.flush()
        }
    }

    func upload(_ path: String, to url: String) async throws {
        try await FileSystem.shared.withFileHandle(forReadingAt: FilePath(path)) { file in
            let length = try await file.info().size
            var request = HTTPClientRequest(url: url)
            request.method = .PUT
            request.body = .stream(file.readChunks(), length: .known(length))
            let response = try await self.client.execute(request, timeout: .seconds(120))
            guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
            _ = try await response.body.collect(upTo: 1 << 20)
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
