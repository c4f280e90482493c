// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import NIOCore

/// The engine: HTTP over TCP and TLS on SwiftNIO's event loops.
public final class NIOTransport: Transport {
    /// An engine for everyone, with the default configuration; it needs no shutdown.
    public static let shared = NIOTransport()

    /// Creates an engine; it opens no socket before the first exchange.
    ///
    /// - Parameters:
    ///   - configuration: How it connects and what it allows.
    ///   - eventLoopGroup: Where it runs; the process-wide group unless given.
    public init(configuration: Configuration = Configuration(), eventLoopGroup: (any EventLoopGroup)? = nil) {
    }

    public func exchange(_ request: TransportRequest) async throws -> TransportReply {
        throw TransportError(.shutDown, phase: .pool, reason: "the engine is not there yet")
    }

    public func shutdown() async {}
}
