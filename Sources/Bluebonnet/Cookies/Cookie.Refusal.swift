// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

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
        /// Name and value together are longer than ``CookieJar/Options/maximumPairByteCount``; or the cookie has no
        /// path, and that of its URL is longer than ``CookieJar/Options/maximumAttributeByteCount``.
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

extension Cookie.Refusal: LocalizedError {
    /// Why the cookie is not accepted, in a sentence; it is also what `localizedDescription` gives.
    public var errorDescription: String? {
        switch self {
        case .unusableURL: "the URL is not one of http or https that could be requested"
        case .empty: "the cookie has neither a name nor a value"
        case .controlCharacter: "the cookie has a control character"
        case .invalidCharacter: "a semicolon, an equals sign or white space at an edge would make another cookie of it"
        case .tooLarge: "the cookie, or its path, is too long"
        case .invalidDomain: "the domain of the cookie is no host name in ASCII, or an address other than the request's"
        case .publicSuffix: "the domain of the cookie is a public suffix, under which others have names, too"
        case .foreignDomain: "the domain of the cookie is neither the host of the request nor above it"
        case .invalidPath: "the path of the cookie does not begin with a slash"
        case .insecureOrigin: "the cookie is secure, and came over plain http"
        case .secureCookieExists: "the cookie came over plain http, and a secure one of its name is there"
        case .sameSiteNoneNotSecure: "the cookie has SameSite=None without being secure"
        case .crossSite: "another site made the request, and the cookie does not have SameSite=None"
        case .securePrefix: "the name of the cookie begins with __Secure-, and it is not secure"
        case .hostPrefix: "the name of the cookie begins with __Host-, and it is not secure, host-only and for Path=/"
        case .prefixInValue: "the cookie has no name, and its value looks like a name with a prefix"
        }
    }
}
