// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes

extension Session {
    /// The configuration of a session; a value, copied when the session is made.
    public struct Configuration: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The time limits of the phases of an exchange, unless a request's options override them.
        ///
        /// `Timeouts.total` applies to the whole call: queue, interceptors, every exchange, the body of the response.
        public var timeouts = Timeouts()

        /// The transport options of every request, unless it overrides them: trust, identity, limits, proxy.
        public var transportOptions = TransportOptions()

        /// The settings of the session's own engine; nil, the default, for the shared engine.
        ///
        /// Setting ``tls``, ``pool``, ``httpVersions``, ``http2``, ``resolver``, ``socket`` or ``transportObserver``
        /// sets a part of it. A session that is given a transport must not have it: its calls fail with
        /// ``SessionError/Code/invalidConfiguration``.
        public var engine: NIOTransport.Configuration?

        /// Header fields for every request that does not have them already: none unless changed.
        ///
        /// Those of the request and of its serializer take precedence, except the User-Agent and the Accept-Language that
        /// every serializer has and the Accept that follows from a response serializer. The session that an
        /// ``HTTPSession`` has made sends those that may be secrets only to the origin of its base URL, whoever gives it
        /// the request; any other session sends them to every origin.
        public var headers = HTTPFields()

        /// Which redirects are followed: 20, unless changed; see ``RedirectPolicy``.
        public var redirects = RedirectPolicy.follow()

        /// The retry policy: none, unless changed; see ``RetryPolicy``.
        ///
        /// A request may have its own policy, `request.retries`.
        public var retries = RetryPolicy.never

        /// The budget for the retries of all calls of the session: a fifth of them and 10 a second, unless changed; nil
        /// for no limit.
        public var retryBudget: RetryBudget? = RetryBudget()

        /// Which concurrent requests share one exchange: none, unless changed; see ``DeduplicationPolicy``.
        public var deduplication = DeduplicationPolicy.none

        /// The credentials that requests authenticate with: none, unless changed; see ``AuthenticationPolicy``.
        public var authentication = AuthenticationPolicy.anonymous

        /// The cookies that requests send and responses set; nil, the default, for none.
        ///
        /// See ``CookieJar``.
        public var cookies: CookieJar?

        /// The interceptors of every call, outermost first; called once per call.
        public var interceptors: [any Interceptor] = []

        /// The interceptors of every exchange, outermost first; called once per exchange, so again for every redirect and retry.
        ///
        /// They see the header fields that are sent, except Host and those that frame the body.
        public var networkInterceptors: [any Interceptor] = []

        /// Answers requests from stored responses where HTTP allows it: nil, the default, for no cache; see ``ResponseCache``.
        public var cache: ResponseCache?

        /// The observers of every call; none unless changed, which costs nothing.
        public var observers: [any SessionObserver] = []

        /// The context in which the completion functions of tasks run; on no particular thread unless changed.
        public var completion = CompletionContext.inline

        /// Limits on what a server may make the stages hold, read or repeat; see ``Session/Limits``.
        public var limits = Session.Limits()

        /// Whether compressed responses are requested, and decoded: true unless changed.
        ///
        /// The codings are gzip and deflate, and Brotli and Zstandard if the package was built with the traits of these
        /// names. `Accept-Encoding` is added if a request does not have it. A decoded response has no Content-Encoding
        /// and Content-Length fields, and its progress has no total. Downloads are never requested compressed or
        /// decoded: a file is saved as the server has it. The same applies to range requests.
        public var decodesContent = true

        /// The largest number of concurrent calls, over all origins; nil, the default, for no limit.
        ///
        /// A call counts until the body of its response has been read or dropped. Those beyond the limit wait in the order they came, not
        /// longer than `Timeouts.queue` says. Calls that code of the program makes inside another
        /// call do not count: an interceptor, a policy, a handler, a cache store, the body that an interceptor made.
        public var maximumConcurrentRequests: Int?

        /// The rate limits of all bodies of the session together; nil, the default, for no limit.
        ///
        /// A request may have its own, `request.rateLimit`.
        public var rateLimit: RateLimit?

        /// Decides about the destination of a download's file, before the download's own; nil, the default, for none.
        ///
        /// The function is given the response without its body, and a file URL with a new name in the system's
        /// directory for temporary files. The URL that it returns overrides the destination of the download; nil keeps
        /// that destination. It is not called for a download that continues from resume data, which contain the
        /// destination. An error that it throws ends the download.
        public var downloadDestination: (@Sendable (_ temporary: URL, _ response: Response) throws -> URL?)?

        /// The clock for deadlines and delays.
        package var clock = SessionClock.system

        /// Creates the default configuration.
        public init() {}

        /// Whether code of the program may run in the chain, which may wait for anything.
        var runsProgramCode: Bool {
            self.hasInterceptors || self.redirects.isOfProgram || self.authentication.runsProgramCode
                || self.cache?.runsProgramCode == true
        }

        /// Whether the program's interceptors are in the chain.
        var hasInterceptors: Bool { !self.interceptors.isEmpty || !self.networkInterceptors.isEmpty }
    }
}
