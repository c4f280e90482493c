// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials

/// The site that makes a request, for the SameSite rules of cookies (RFC 6265bis section 5.2).
///
/// A browser knows which document makes a request. A program has none: its requests are like URLs that the user has
/// typed, so every cookie is sent. A program that fetches on behalf of a site, such as a crawler, a browser or a
/// renderer, sets the initiator. Then `Strict` cookies are not sent to other sites, and `Lax` ones only on navigations
/// with a safe method.
///
/// ```swift
/// request.cookieInitiator = .subresource(of: pageURL)
/// ```
///
/// Two URLs are same-site if they have the same scheme and the same registrable domain; hosts without one have to be
/// equal. A redirect does not change the initiator.
public struct CookieInitiator: Sendable, Hashable {
    /// The URL of the site.
    public let url: URL

    /// Whether the request navigates from the site to the URL, as a link does, instead of fetching a part of a page.
    public let isNavigation: Bool

    /// A request for a part of a page: an image, a script, an API call.
    ///
    /// - Parameter url: The URL of the page.
    /// - Returns: The initiator.
    public static func subresource(of url: URL) -> Self { Self(url: url, isNavigation: false) }

    /// A request that follows a link on a page, or submits its form.
    ///
    /// - Parameter url: The URL of the page.
    /// - Returns: The initiator.
    public static func navigation(from url: URL) -> Self { Self(url: url, isNavigation: true) }

    /// Whether the initiator is same-site with an origin.
    ///
    /// A URL that cannot be requested is same-site with none.
    func isSameSite(as origin: Origin, _ suffixes: PublicSuffixList) -> Bool {
        guard let own = try? RequestTarget(self.url).origin, own.scheme == origin.scheme else { return false }
        if own.host == origin.host { return true }
        guard let domain = suffixes.registrableDomain(of: own.host) else { return false }
        return domain == suffixes.registrableDomain(of: origin.host)
    }
}

// The default mirror would print the user information and the query of the URL.
extension CookieInitiator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of request, and the origin of the page.
    public var description: String {
        let origin = (try? RequestTarget(self.url).origin)?.description ?? "(unusable URL)"
        return self.isNavigation ? "a navigation from \(origin)" : "a part of a page of \(origin)"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["description": self.description]) }
}

extension Request {
    /// The site that makes the request; nil, the default, for the program itself.
    ///
    /// See ``CookieInitiator``.
    public var cookieInitiator: CookieInitiator? {
        get { self.context[CookieInitiator.self] }
        set { self.context[CookieInitiator.self] = newValue }
    }
}
