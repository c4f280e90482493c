// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension CookieJar {
    /// The limits of a jar, and the rules that RFC 6265bis leaves to the client.
    public struct Options: Sendable {
        /// The public suffixes, for which no cookie is accepted: the package's list unless changed.
        public var suffixes = PublicSuffixList.builtIn

        /// Whether plain http to this machine counts as secure: false unless changed.
        ///
        /// This machine is `localhost`, a name below it, 127.0.0.0/8 and ::1. With this option, a development server
        /// without TLS can use secure cookies, as in browsers. Cookies ignore ports: any program that listens on this
        /// machine gets them.
        public var trustsLoopback = false

        /// Whether the Host field of a request, if it has one, decides in place of the host of its URL: false unless
        /// changed.
        ///
        /// A command of curl names a virtual host with the field, whose cookies it sends and stores.
        package var usesHostField = false

        /// The largest name and value together, in bytes: 4,096 unless changed.
        ///
        /// A larger cookie is refused.
        public var maximumPairByteCount = 4096

        /// The largest value of an attribute, in bytes: 1,024 unless changed.
        ///
        /// A larger attribute is ignored. A cookie without a path is refused if the path of its URL is larger.
        public var maximumAttributeByteCount = 1024

        /// The largest number of cookies of one domain: 50 unless changed.
        ///
        /// Beyond it expired cookies are removed first, then those that are not secure, then the others; each time the
        /// least recently used first.
        public var cookiesPerDomain = 50 { didSet { self.cookiesPerDomain = max(self.cookiesPerDomain, 0) } }

        /// The largest number of cookies of a jar: 3,000 unless changed.
        ///
        /// Beyond it the least recently used ones are removed.
        public var cookieCount = 3000 { didSet { self.cookieCount = max(self.cookieCount, 0) } }

        /// The longest lifetime of a cookie: 400 days unless changed.
        ///
        /// A later expiry is moved forward (RFC 6265bis section 5.5).
        public var maximumLifetime = Duration.seconds(400 * 24 * 60 * 60)

        /// The largest Cookie field, in bytes: 64 KiB unless changed.
        ///
        /// Cookies that do not fit are left out, those with the shortest paths first.
        public var maximumFieldByteCount = 64 * 1024

        /// Creates the default options.
        public init() {}
    }
}
