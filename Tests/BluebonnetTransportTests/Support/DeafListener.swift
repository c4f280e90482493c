// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// A port on loopback where nobody answers: the queue of connections that wait to be accepted is full, and nobody accepts any.
enum DeafListener {
    /// The connections that fill the queue, of this process.
    ///
    /// A queue of one holds two (listen(2), `sk_acceptq_is_full`).
    static let connectionCount = 2

    /// Runs a test with such a port.
    static func run(_ body: (_ port: Int) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port ?? 0
        var waiting = [any Channel]()
        let result: Result<Void, any Error>
        do {
            for _ in 0..<Self.connectionCount {
                waiting.append(try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port).get())
            }
            result = .success(try await body(port))
        } catch {
            result = .failure(error)
        }
        for channel in waiting { try? await channel.close() }
        try await listener.close()
        try result.get()
    }
}
