// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension CookieJar {
    /// All cookies, in the order in which they were made.
    public var cookies: [Cookie] { self.read { $0.cookies } }

    /// The cookies that the jar would send with a GET request, in their order in the field.
    ///
    /// - Parameter url: The URL of the request.
    /// - Returns: The cookies; none for a URL that cannot be requested.
    public func cookies(for url: URL) -> [Cookie] {
        guard let target = try? RequestTarget(url) else { return [] }
        return self.read { $0.match(CookieRequest(target, self.options), isUse: false) }
    }

    /// Sets a cookie, which replaces the one with its name, domain and path.
    ///
    /// An expired cookie removes that other one. An expiry that is too far away is moved forward, as for a server.
    ///
    /// - Parameter cookie: The cookie.
    /// - Throws: ``Cookie/Refusal`` if it is too large, or for a public suffix.
    public func set(_ cookie: Cookie) throws(Cookie.Refusal) {
        try self.check(cookie)
        self.change { $0.set(cookie.limited(to: self.options.maximumLifetime, from: $0.time)) }
    }

    /// Accepts a cookie as if a response to the program had set it.
    ///
    /// - Parameters:
    ///   - field: The value of one Set-Cookie field.
    ///   - url: The URL of the request.
    /// - Returns: The cookie. If it has expired already, it is not in the jar, and has removed the one that was there.
    /// - Throws: ``Cookie/Refusal``: the rule that it breaks.
    @discardableResult
    public func receive(_ field: String, from url: URL) throws(Cookie.Refusal) -> Cookie {
        try self.receive(bytes: field.utf8, from: url)
    }

    /// Accepts a cookie whose field need not be UTF-8, as if a response to the program had set it.
    ///
    /// - Parameters:
    ///   - field: The bytes of the value of one Set-Cookie field.
    ///   - url: The URL of the request.
    /// - Returns: The cookie, as ``receive(_:from:)`` does.
    /// - Throws: ``Cookie/Refusal``: the rule that it breaks.
    @discardableResult
    public func receive(bytes field: some Collection<UInt8>, from url: URL) throws(Cookie.Refusal) -> Cookie {
        guard let target = try? RequestTarget(url) else { throw .unusableURL }
        var outcome = Result<Cookie, Cookie.Refusal>.failure(.unusableURL)
        self.change { outcome = $0.receive(field, from: CookieRequest(target, self.options), self.options) }
        return try outcome.get()
    }

    /// Removes a cookie: the one with the same name, domain and path.
    ///
    /// - Parameter cookie: The cookie.
    public func remove(_ cookie: Cookie) {
        self.change { $0.remove(cookie.identity) }
    }

    /// Removes the cookies that a function selects.
    ///
    /// - Parameter isChosen: Whether a cookie is removed. Called under the jar's lock: it must not use the jar.
    public func removeAll(where isChosen: (Cookie) -> Bool) {
        self.change { $0.removeAll(where: isChosen) }
    }

    /// Removes all cookies.
    public func removeAll() {
        self.removeAll { _ in true }
    }

    /// Removes the session cookies, for a program whose session ends before its jar does.
    public func removeSessionCookies() {
        self.removeAll { $0.expires == nil }
    }

    /// Checks the rules for cookies that come from the program or from a file.
    func check(_ cookie: Cookie) throws(Cookie.Refusal) {
        guard cookie.nameBytes.count + cookie.valueBytes.count <= self.options.maximumPairByteCount,
            max(cookie.domain.utf8.count, cookie.path.utf8.count) <= self.options.maximumAttributeByteCount
        else { throw .tooLarge }
        guard !cookie.isHostOnly, !HostName.isAddress(Array(cookie.domain.utf8)) else { return }
        guard let suffix = self.options.suffixes.publicSuffix(of: cookie.domain) else { throw .invalidDomain }
        guard suffix != cookie.domain else { throw .publicSuffix }
    }
}

extension Cookie {
    /// The cookie with an expiry no later than a lifetime after a time.
    func limited(to life: Duration, from time: Date) -> Cookie {
        let latest = time.addingTimeInterval(Double(life.wholeSeconds))
        guard let expires, expires > latest else { return self }
        return Cookie(
            self.identity,
            self.valueBytes,
            created: self.created,
            expires: latest,
            isSecure: self.isSecure,
            isHTTPOnly: self.isHTTPOnly,
            sameSite: self.sameSite
        )
    }
}
