// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import HTTPTypes

extension Session {
    /// How a session behaves; a value, copied when the session is made.
    public struct Configuration: Sendable {
        /// The limit of a body that is collected in memory, unless a configuration says otherwise: 64 MiB.
        public static let defaultResponseLimit = 64 * 1024 * 1024

        /// How long each phase of an exchange may take, unless a request's options say otherwise.
        public var timeouts = Timeouts()

        /// Which proxy requests go through; nil, the default, for the transport's choice.
        ///
        /// The engine follows the environment unless it was told otherwise, see `ProxyConfiguration.environment`.
        public var proxy: ProxyConfiguration?

        /// The path of a Unix socket that every request goes to, whatever the host of its URL is; nil, the default, for the transport's choice.
        public var unixSocketPath: String?

        /// Header fields for every request that does not carry them by then: none unless changed.
        ///
        /// They give way to those of the request and of its serializer.
        public var headers = HTTPFields()

        /// What stands between the caller and the session's own rules, outermost first; called once per call of the session.
        public var interceptors: [any Interceptor] = []

        /// What stands between the session's own rules and the transport, outermost first; called once per exchange, so again for every
        /// redirect and retry.
        public var networkInterceptors: [any Interceptor] = []

        /// The largest body that is collected in memory, in bytes: 64 MiB unless changed.
        ///
        /// Streamed responses and downloads have no limit.
        public var responseLimit = Configuration.defaultResponseLimit

        /// Whether responses are asked for compressed, and decoded: true unless changed.
        ///
        /// The codings are gzip and deflate, and Brotli and Zstandard where the package was built with the traits of these names. `Accept-Encoding` is added where a request does not carry it. A decoded response has lost its Content-Encoding and Content-Length
        /// fields, and its progress has no total. Downloads are never asked for or decoded: a file is saved as the server has it. Neither
        /// are requests for a range.
        public var decodesContent = true

        /// How many requests may be under way at once, over all origins; nil, the default, for no limit.
        ///
        /// A request counts until the body of its response has been read or dropped. Those beyond the limit wait in the order they came,
        /// not longer than `Timeouts.queue` says.
        public var maximumConcurrentRequests: Int?

        /// Creates the default configuration.
        public init() {}
    }
}
