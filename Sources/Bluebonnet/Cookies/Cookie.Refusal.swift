// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Cookie {
    /// Why a cookie is not accepted (RFC 6265bis sections 5.6 and 5.7).
    ///
    /// Cases may be added in any version: a `switch` needs a `default`.
    public enum Refusal: String, Error, Sendable, CaseIterable {
        /// The URL is not one of http or https that could be requested.
        case unusableURL
        /// There is neither a name nor a value.
        case empty
        /// There is a control character in it, other than a tab.
        case controlCharacter
        /// A semicolon, an equals sign or white space at an edge would make another cookie of it on its way.
        case invalidCharacter
        /// Name and value together are longer than ``CookieJar/Options/largestPair``; or the cookie names no path, and that of its URL is
        /// longer than ``CookieJar/Options/largestAttribute``.
        case tooLarge
        /// The domain is no host name in ASCII, or an address that is not the request's own.
        case invalidDomain
        /// The domain is a public suffix, under which others have names, too.
        case publicSuffix
        /// The domain is not that of the request's host, nor one above it.
        case foreignDomain
        /// The path does not begin with a slash.
        case invalidPath
        /// A secure cookie came over plain http.
        case insecureOrigin
        /// A cookie that came over plain http would stand before a secure one of the same name.
        case secureCookieExists
        /// It says `SameSite=None` without being secure.
        case sameSiteNoneNotSecure
        /// The request was made by another site, and the cookie does not say `SameSite=None`.
        case crossSite
        /// The name begins with `__Secure-` and the cookie is not secure.
        case securePrefix
        /// The name begins with `__Host-`, and the cookie is not secure, not host-only, or has no `Path=/`.
        case hostPrefix
        /// The name is empty and the value looks like a name with a prefix.
        case prefixInValue
    }
}

extension Cookie.Refusal: CustomStringConvertible {
    public var description: String { self.rawValue }
}
