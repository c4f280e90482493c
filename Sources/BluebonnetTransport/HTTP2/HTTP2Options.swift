// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension NIOTransport {
    /// The versions of HTTP that an engine uses.
    public enum HTTPVersions: Sendable, Hashable {
        /// The default: HTTP/2 or HTTP/1.1 on https, negotiated with ALPN (RFC 7301), HTTP/2 preferred; HTTP/1.1 on
        /// http.
        case negotiated
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 only.
        ///
        /// On https, a server that does not select it with ALPN is refused. On http, it is used with prior knowledge
        /// (RFC 9113 section 3.3).
        case http2
    }

    /// The HTTP/2 options of an engine.
    public struct HTTP2Options: Sendable, Hashable {
        /// The flow-control window of each response in bytes, which is how far the server may send ahead of its
        /// consumer: 1 MiB unless changed; 64 KiB to 16 MiB.
        ///
        /// A consumer that does not read stalls only its own response.
        public var windowSize = 1024 * 1024

        /// How long a server may be silent before a PING is sent, while responses are outstanding: 30 s unless changed;
        /// nil never sends one.
        ///
        /// The time in which the connection was idle counts: a request on a connection that was idle for longer is
        /// followed by a PING, so that a dead connection is noticed after ``pingTimeout``.
        public var pingInterval: Duration? = .seconds(30)

        /// How long the acknowledgement of that PING may take before the connection is considered dead: 15 s unless
        /// changed.
        ///
        /// The time starts again whenever the server accepts bytes of a request that had to wait: the PING is behind
        /// them.
        public var pingTimeout: Duration = .seconds(15)

        /// The identifier of a connection's first stream: odd, and 1 except in tests of the last identifiers.
        var firstStreamID: UInt32 = 1

        /// Creates the default options.
        public init() {}
    }
}

extension NIOTransport.HTTPVersions {
    /// The protocols offered in the TLS handshake, in order of preference.
    var protocols: [String] {
        switch self {
        case .negotiated: ["h2", "http/1.1"]
        case .http1: ["http/1.1"]
        case .http2: ["h2"]
        }
    }
}
