// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TestServer {
    /// What a ``TestServer`` does to a connection that it has accepted, before TLS and HTTP.
    public enum ConnectionEffect: Sendable, Hashable {
        /// It never sends anything, whatever arrives: a TLS client waits for the end of its handshake.
        case silence
        /// It closes the connection at once.
        case close
        /// It resets the connection at once (RST).
        case reset
    }

    /// Where a ``TestServer`` listens and how much it keeps.
    public struct Configuration: Sendable, Hashable {
        /// The loopback addresses.
        public enum Address: String, Sendable, Hashable {
            /// IPv4.
            case ipv4 = "127.0.0.1"
            /// IPv6.
            case ipv6 = "::1"
        }

        /// The address to listen on; IPv4 unless changed.
        public var address: Address = .ipv4

        /// The port to listen on; 0, the default, for one of the system's choice.
        public var port = 0

        /// The bytes of a request's body that are kept in its ``RecordedRequest`` and shown by `/echo`: 1 MiB unless changed.
        ///
        /// Longer bodies are counted and digested to their end all the same.
        public var recordedBodyLimit = 1024 * 1024

        /// The requests that are kept until ``TestServer/takeRequest(within:)`` takes them: 10,000 unless changed; then the oldest go.
        public var untakenRequestLimit = 10_000

        /// The bytes of bodies kept with them: 32 MiB unless changed.
        public var untakenByteLimit = 32 * 1024 * 1024

        /// The size asked of the system for a connection's receive buffer; the system's own choice unless given.
        ///
        /// A small one makes a client that sends to a server that does not read feel it early.
        public var receiveBufferByteCount: Int?

        /// What happens to every connection instead of HTTP; nothing unless changed.
        public var connectionEffect: ConnectionEffect?

        /// How the server speaks HTTP/2, to clients that want it; nil, the default, for HTTP/1.1 only.
        ///
        /// Over TLS it then offers `h2` before the other protocols (RFC 7301). Without TLS it speaks HTTP/2 to a client that begins with it (RFC 9113
        /// section 3.3).
        public var http2: HTTP2?

        /// The built-in routes to serve, by the first part of their paths: `["bytes", "echo"]` for example, `[]` for none.
        ///
        /// All of them with nil, the default. A path that is not served gets status 404.
        public var routeNames: Set<String>?

        /// Creates the default configuration.
        public init() {}
    }
}
