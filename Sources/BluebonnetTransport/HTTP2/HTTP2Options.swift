// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension NIOTransport {
    /// Which versions of HTTP an engine speaks.
    public enum HTTPVersions: Sendable, Hashable {
        /// On https what the two sides agree on (ALPN, RFC 7301), HTTP/2 before HTTP/1.1; on http HTTP/1.1. The default.
        case negotiated
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 only.
        ///
        /// On https a peer that does not choose it by ALPN is refused; on http it is spoken from the first byte, with the prior knowledge
        /// that the peer understands it (RFC 9113 section 3.3).
        case http2
    }

    /// How an engine speaks HTTP/2.
    public struct HTTP2Options: Sendable, Hashable {
        /// How much of one response the peer may send ahead of its consumer, in bytes: 1 MiB unless changed; 64 KiB to 16 MiB.
        ///
        /// A consumer that does not read stalls its own response only.
        public var windowSize = 1024 * 1024

        /// How long a connection with responses outstanding may be silent before it is asked whether it is alive: 30 s unless changed;
        /// nil never asks.
        public var pingInterval: Duration? = .seconds(30)

        /// How long the answer to that question may take before the connection counts as dead: 15 s unless changed.
        public var pingTimeout: Duration = .seconds(15)

        /// The number of a connection's first stream: odd, and 1 except in tests that want to see the last one.
        var firstStreamID: UInt32 = 1

        /// Creates the default options.
        public init() {}
    }
}

extension NIOTransport.HTTPVersions {
    /// What is offered in the TLS handshake, the preferred one first.
    var protocols: [String] {
        switch self {
        case .negotiated: ["h2", "http/1.1"]
        case .http1: ["http/1.1"]
        case .http2: ["h2"]
        }
    }
}
