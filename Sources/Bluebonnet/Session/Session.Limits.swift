// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// Limits on what a server may make the stages of a session hold, read or repeat.
    ///
    /// There is one value for a session, ``Configuration/limits``. Objects that several sessions may share have their
    /// own limits: cookies in ``CookieJar/Options``, stored responses in ``ResponseCache`` and its store.
    /// ``RedirectPolicy`` and ``RetryPolicy`` limit how often a request is redirected or repeated, and
    /// ``TransportOptions/limits`` how much of a response the engine holds.
    ///
    /// Negative numbers count as 0.
    public struct Limits: Sendable, Hashable {
        /// The largest body that is collected in memory, in bytes: 64 MiB unless changed.
        ///
        /// A larger one fails with ``SessionError/Code/responseTooLarge``. Streamed responses and downloads have no limit.
        public var responseByteCount = 64 * 1024 * 1024 {
            didSet { self.responseByteCount = max(self.responseByteCount, 0) }
        }

        /// The number of bytes read of a body that a stage does not deliver: 64 KiB unless changed.
        ///
        /// This is the body of a redirect, of a challenge, of an attempt that is repeated, or of a validation, which is
        /// read so that its connection can be reused. If it is larger, or takes longer than a second, the connection is
        /// closed, or the stream is reset on HTTP/2.
        public var discardedByteCount = 64 * 1024 {
            didSet { self.discardedByteCount = max(self.discardedByteCount, 0) }
        }

        /// The number of body bytes of a refused streamed response that an error contains: 64 KiB unless changed.
        ///
        /// An error about a larger body contains none of it, nor does one whose body takes longer than five seconds.
        public var refusedByteCount = 64 * 1024 {
            didSet { self.refusedByteCount = max(self.refusedByteCount, 0) }
        }

        /// The largest number of challenges to one request that are answered: 5 unless changed.
        ///
        /// A server may declare a nonce stale, and a person may mistype a password. The last response is delivered.
        public var challengeCount = 5 { didSet { self.challengeCount = max(self.challengeCount, 0) } }

        /// The largest response to a request that refreshes a token, in bytes: 1 MiB unless changed.
        ///
        /// A larger one fails with ``SessionError/Code/responseTooLarge``, and the refresh fails with it.
        public var tokenResponseByteCount = 1024 * 1024 {
            didSet { self.tokenResponseByteCount = max(self.tokenResponseByteCount, 0) }
        }

        /// The largest number of protection spaces that are remembered, and of paths of each: 256 unless changed.
        ///
        /// The oldest space is removed to make room for another, and is challenged again.
        public var protectionSpaceCount = 256 {
            didSet { self.protectionSpaceCount = max(self.protectionSpaceCount, 0) }
        }

        /// The largest number of concurrent revalidations of stored responses in use: 32 unless changed.
        ///
        /// Beyond it, a stored response is reused without revalidation, which the next request for it starts
        /// (`stale-while-revalidate`, RFC 5861 section 3).
        public var cacheRefreshCount = 32 { didSet { self.cacheRefreshCount = max(self.cacheRefreshCount, 0) } }

        /// The limits on a stream of lines, documents or events.
        public var streams = StreamLimits()

        /// Creates the default limits.
        public init() {}
    }
}
