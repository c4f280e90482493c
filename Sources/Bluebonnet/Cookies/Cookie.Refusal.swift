// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Cookie {
    /// Why a cookie is not accepted (RFC 6265bis sections 5.6 and 5.7).
    ///
    /// Cases may be added in any version: a `switch` needs a `default`.
    public enum Refusal: String, Error, Sendable, CaseIterable {
        /// The URL is not an http or https URL that can be requested.
        case unusableURL
        /// There is neither a name nor a value.
        case empty
        /// It contains a control character other than a tab.
        case controlCharacter
        /// A semicolon, an equals sign or white space at an edge would change the cookie when it is sent.
        case invalidCharacter
        /// Name and value together are longer than ``CookieJar/Options/largestPair``; or the cookie has no path, and
        /// that of its URL is longer than ``CookieJar/Options/largestAttribute``.
        case tooLarge
        /// The domain is not a host name in ASCII, or is an address other than the request's own.
        case invalidDomain
        /// The domain is a public suffix, under which others can register names.
        case publicSuffix
        /// The domain is neither that of the request's host nor a parent of it.
        case foreignDomain
        /// The path does not begin with a slash.
        case invalidPath
        /// A secure cookie came over plain http.
        case insecureOrigin
        /// A cookie that came over plain http would take precedence over a secure one of the same name.
        case secureCookieExists
        /// It has `SameSite=None` without being secure.
        case sameSiteNoneNotSecure
        /// Another site made the request, and the cookie does not have `SameSite=None`.
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
