// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// How much a server may make the stages of a session hold, read or repeat.
    ///
    /// One value for a session, ``Configuration/limits``. What belongs to an object that several sessions may share has its limits there: cookies
    /// in ``CookieJar/Options``, stored responses in ``ResponseCache`` and its store. How often a request is redirected or repeated is a
    /// matter of ``RedirectPolicy`` and ``RetryPolicy``; how much the engine holds of a response, of ``TransportOptions/limits``.
    ///
    /// Negative numbers count as 0.
    public struct Limits: Sendable, Hashable {
        /// The largest body that is collected in memory, in bytes: 64 MiB unless changed.
        ///
        /// A larger one fails with ``SessionError/Code/responseTooLarge``. Streamed responses and downloads have no limit.
        public var responseByteCount = 64 * 1024 * 1024 {
            didSet { self.responseByteCount = max(self.responseByteCount, 0) }
        }

        /// What is read of a body that a stage does not deliver, in bytes: 64 KiB unless changed.
        ///
        /// It is the body of a redirect, of a challenge, of an attempt that is repeated, and of a validation, which is read so that its
        /// connection can be used again. Of a larger one, and of one that takes longer than a second, the connection is closed, or the stream is reset on HTTP/2.
        public var discardedByteCount = 64 * 1024 {
            didSet { self.discardedByteCount = max(self.discardedByteCount, 0) }
        }

        /// What an error carries of the body of a streamed response that was refused, in bytes: 64 KiB unless changed.
        ///
        /// An error about a larger body carries none of it, nor does one whose body takes longer than five seconds.
        public var refusedByteCount = 64 * 1024 {
            didSet { self.refusedByteCount = max(self.refusedByteCount, 0) }
        }

        /// How many challenges to one request are answered: 5 unless changed.
        ///
        /// A server may say that a nonce is stale, and a person may mistype a password. The response to the last answer is delivered.
        public var challengeCount = 5 { didSet { self.challengeCount = max(self.challengeCount, 0) } }

        /// The largest response to a request that refreshes a token, in bytes: 1 MiB unless changed.
        ///
        /// A larger one fails with ``SessionError/Code/responseTooLarge``, and with it the refresh.
        public var tokenResponseByteCount = 1024 * 1024 {
            didSet { self.tokenResponseByteCount = max(self.tokenResponseByteCount, 0) }
        }

        /// The protection spaces that are remembered, and the paths of each: 256 unless changed.
        ///
        /// The oldest space is forgotten for one more, and is challenged again.
        public var protectionSpaceCount = 256 {
            didSet { self.protectionSpaceCount = max(self.protectionSpaceCount, 0) }
        }

        /// The stored responses that are brought up to date at a time while they are reused: 32 unless changed.
        ///
        /// One more is reused without, and is asked for when it is wanted next (`stale-while-revalidate`, RFC 5861 section 3).
        public var cacheRefreshCount = 32 { didSet { self.cacheRefreshCount = max(self.cacheRefreshCount, 0) } }

        /// What a server may send at a time in a stream of lines, documents or events.
        public var streams = StreamLimits()

        /// Creates the default limits.
        public init() {}
    }
}
