// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TestServer {
    /// The behaviour of a ``TestServer`` on an accepted connection, before TLS and HTTP.
    public enum ConnectionEffect: Sendable, Hashable {
        /// It never sends anything, whatever arrives: a TLS handshake never completes.
        case stall
        /// It closes the connection at once.
        case close
        /// It resets the connection at once (RST).
        case reset
    }

    /// The address of a ``TestServer`` and the limits of what it stores.
    public struct Configuration: Sendable, Hashable {
        /// The loopback addresses.
        public enum Address: String, Sendable, Hashable {
            /// IPv4.
            case ipv4 = "127.0.0.1"
            /// IPv6.
            case ipv6 = "::1"

            /// The address as the host of a URL.
            var literal: String { self == .ipv6 ? "[::1]" : self.rawValue }
        }

        /// The address to listen on; IPv4 unless changed.
        public var address: Address = .ipv4

        /// The port to listen on; 0, the default, lets the system choose.
        public var port = 0

        /// The bytes of a request's body that are kept in its ``RecordedRequest`` and shown by `/echo`: 1 MiB unless
        /// changed.
        ///
        /// Longer bodies are nevertheless counted and digested completely.
        public var recordedBodyLimit = 1024 * 1024

        /// The number of requests kept for ``TestServer/takeRequest(within:)``: 10,000 unless changed; beyond it, the
        /// oldest are dropped.
        public var untakenRequestLimit = 10_000

        /// The bytes of bodies kept with them: 32 MiB unless changed.
        public var untakenByteLimit = 32 * 1024 * 1024

        /// The size of a connection's receive buffer in bytes; the system's default unless given.
        ///
        /// With a small one, a client is soon blocked if the server does not read.
        public var receiveBufferByteCount: Int?

        /// What happens to every connection in place of HTTP; nothing unless changed.
        public var connectionEffect: ConnectionEffect?

        /// The HTTP/2 options; nil, the default, for HTTP/1.1 only.
        ///
        /// Over TLS the server then offers `h2` before the other protocols (RFC 7301). Without TLS it uses HTTP/2 with
        /// a client that begins with it (RFC 9113 section 3.3).
        public var http2: HTTP2?

        /// The built-in routes to serve, by the first segment of their paths: for example `["bytes", "echo"]`, or `[]`
        /// for none.
        ///
        /// Nil, the default, serves all of them. A path that is not served results in status 404.
        public var routeNames: Set<String>?

        /// Whether a request without a scripted response or a handler, and a scripted response without a request, are
        /// failures of the test; false unless changed.
        ///
        /// Such a request results in status 404 and ``TestServerError/Code/unexpectedRequest``; built-in routes are not
        /// served. ``TestServer/withServer(tls:configuration:_:)`` throws ``TestServerError/Code/unusedResponse`` if
        /// responses are left in the script at its end.
        public var isStrict = false

        /// Creates the default configuration.
        public init() {}
    }
}
