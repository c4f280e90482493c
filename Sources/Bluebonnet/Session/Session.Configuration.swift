// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes

extension Session {
    /// How a session behaves; a value, copied when the session is made.
    public struct Configuration: Sendable {
        /// How long each phase of an exchange may take, unless a request's options say otherwise.
        ///
        /// `Timeouts.total` counts for the whole call: queue, interceptors, every exchange, the body of the response.
        public var timeouts = Timeouts()

        /// What every request asks of the transport, unless it says otherwise: trust, identity, limits, proxy.
        public var transportOptions = TransportOptions()

        /// The settings of an engine of the session's own; nil, the default, for the engine that everyone shares.
        ///
        /// Setting ``tls``, ``pool``, ``httpVersions``, ``http2``, ``resolver``, ``socket`` or ``transportObserver`` sets a part of it. A session
        /// that is given a transport must not have it: its calls fail with ``SessionError/Code/invalidConfiguration``.
        public var engine: NIOTransport.Configuration?

        /// Header fields for every request that does not carry them by then: none unless changed.
        ///
        /// They give way to those of the request and of its serializer. ``HTTPSession`` keeps them on the origin of its base URL.
        public var headers = HTTPFields()

        /// Which redirects are followed: 20, unless changed; see ``RedirectPolicy``.
        public var redirects = RedirectPolicy.follow()

        /// Which attempts are repeated: none, unless changed; see ``RetryPolicy``.
        ///
        /// A request may have a policy of its own, `request.retries`.
        public var retries = RetryPolicy.none

        /// What all calls of the session together may repeat: a fifth of them and 10 a second, unless changed; nil for no limit.
        public var retryBudget: RetryBudget? = RetryBudget()

        /// Which requests under way share one exchange: none, unless changed; see ``DeduplicationPolicy``.
        public var deduplication = DeduplicationPolicy.none

        /// What requests prove their identity with: nothing, unless changed; see ``AuthenticationPolicy``.
        public var authentication = AuthenticationPolicy.none

        /// The cookies that requests send and responses set; nil, the default, for none.
        ///
        /// See ``CookieJar``.
        public var cookies: CookieJar?

        /// The interceptors of every call, outermost first; called once per call.
        public var interceptors: [any Interceptor] = []

        /// The interceptors of every exchange, outermost first; called once per exchange, so again for every redirect and retry.
        ///
        /// They see the header fields that are sent, but for Host and those that frame the body.
        public var networkInterceptors: [any Interceptor] = []

        /// Answers requests from stored responses where HTTP allows it: nil, the default, for no cache; see ``ResponseCache``.
        public var cache: ResponseCache?

        /// Observe every call; none unless changed, which costs nothing.
        public var observers: [any SessionObserver] = []

        /// Where the completion functions of tasks run; on no particular thread unless changed.
        public var completion = CompletionContext.inline

        /// How much a server may make the stages hold, read or repeat; see ``Session/Limits``.
        public var limits = Session.Limits()

        /// Whether responses are asked for compressed, and decoded: true unless changed.
        ///
        /// The codings are gzip and deflate, and Brotli and Zstandard where the package was built with the traits of these names.
        /// `Accept-Encoding` is added where a request does not carry it. A decoded response has lost its Content-Encoding and
        /// Content-Length fields, and its progress has no total. Downloads are never asked for or decoded: a file is saved as the server has
        /// it. Neither are requests for a range.
        public var decodesContent = true

        /// How many calls may be under way at once, over all origins; nil, the default, for no limit.
        ///
        /// A call counts until the body of its response has been read or dropped. Those beyond the limit wait in the order they came, not
        /// longer than `Timeouts.queue` says. Calls that code of the program makes inside another
        /// call do not count: an interceptor, a policy, a handler, the body that an interceptor made.
        public var maximumConcurrentRequests: Int?

        /// The rates of all bodies of the session together; nil, the default, for no limit.
        ///
        /// A request may have one of its own, `request.rateLimit`.
        public var rateLimit: RateLimit?

        /// Decides where the file of a download goes, before the destination of the download is asked; nil, the default, for nothing.
        ///
        /// The function is given a file URL of a new name in the system's directory for temporary files, and the response without its body.
        /// What it returns wins over the destination of the download; nil leaves it to that one. It is not called for a download that goes on from
        /// resume data, which say where the file is. What it throws ends the download.
        public var downloadDestination: (@Sendable (_ temporary: URL, _ response: Response) throws -> URL?)?

        /// The clock of deadlines and delays.
        package var clock = SessionClock.system

        /// Creates the default configuration.
        public init() {}

        /// Whether code of the program may run in the chain, which may wait for anything.
        var runsProgramCode: Bool {
            self.hasInterceptors || self.redirects.isOfProgram || self.authentication.runsProgramCode
                || self.cache?.willCache != nil
        }

        /// Whether code of the program stands in the chain.
        var hasInterceptors: Bool { !self.interceptors.isEmpty || !self.networkInterceptors.isEmpty }
    }
}
