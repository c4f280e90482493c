// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import NIOCore
import Testing

/// nginx reads its configuration again while it is asked for things: old workers finish what they have and end their connections.
@Suite(.timeLimit(.minutes(1)), .enabled(if: FrontTable.isWanted, "make interop runs these"))
struct NginxReloadTests {
    /// Has nginx start new workers, as `nginx -s reload` does.
    private static func reload(_ server: ExternalServer) throws {
        let file = server.files.deletingLastPathComponent().appending(path: "nginx.pid")
        let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(kill(try #require(pid_t(text)), SIGHUP) == 0)
    }

    @Test(arguments: [NIOTransport.HTTPVersions.http1, .http2])
    func `no request is lost while nginx reloads`(_ versions: NIOTransport.HTTPVersions) async throws {
        try await ExternalServer.run(.nginx) { server in
            let data = patternedData(count: 300_000)
            try server.write(data, as: "file.bin")
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.httpVersions = versions
            let transport = NIOTransport(configuration: configuration)
            let port = versions == .http2 ? try #require(server.http2).port : server.http.port
            let origin = Origin(scheme: .http, host: "localhost", port: port)
            let result: Result<Void, any Error>
            do { result = .success(try await Self.ask(transport, origin, server)) } catch { result = .failure(error) }
            await transport.shutdown()
            try result.get()
        }
    }

    /// The length of a file, asked for again where a worker that ends has closed the connection without an answer.
    ///
    /// Over HTTP/1.1 nginx does so with connections that it has accepted and not read from. The engine repeats a request only on a connection
    /// that was used before (RFC 9112 section 9.3.1); on a new one that is for a retry policy to do, as here.
    private static func byteCount(_ transport: NIOTransport, _ origin: Origin) async throws -> Int {
        let request = TransportRequest(origin: origin, target: "/file.bin")
        for _ in 0..<4 {
            do {
                return try await transport.exchange(request).body.collect(upTo: 1 << 20).readableBytes
            } catch let error as TransportError where error.code == .connectionClosed && error.phase == .responseHead {
                continue
            }
        }
        return try await transport.exchange(request).body.collect(upTo: 1 << 20).readableBytes
    }

    private static func ask(_ transport: NIOTransport, _ origin: Origin, _ server: ExternalServer) async throws {
        for _ in 0..<3 {
            let closed = transport.statistics.closed
            // Some are under way when the signal comes: the first megabyte a second lasts until the workers have changed.
            let slow = (0..<2).map { _ in
                Task {
                    let request = TransportRequest(origin: origin, target: "/slow/file.bin", responseMode: .streamed)
                    var count = 0
                    for try await piece in try await transport.exchange(request).body { count += piece.readableBytes }
                    return count
                }
            }
            while transport.statistics.inFlight == 0 { await Task.yield() }
            try Self.reload(server)
            // Others come until the old workers have ended a connection, which may be after a while.
            repeat {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            try await Self.byteCount(transport, origin)
                        }
                    }
                    for try await count in group { #expect(count == 300_000) }
                }
            } while transport.statistics.closed == closed
            for task in slow { #expect(try await task.value == 300_000) }
        }
    }
}
