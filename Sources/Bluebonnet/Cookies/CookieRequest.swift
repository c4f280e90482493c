// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// The properties of a request that decide which cookies it sends and may receive.
struct CookieRequest {
    /// The host in lower case; an IPv6 address without brackets.
    private(set) var host: String
    let path: String
    /// Whether the connection counts as secure.
    let isSecure: Bool
    /// Whether the request is made by its own site, or by no site.
    var isSameSite = true
    /// Whether it is a navigation to the URL from another site.
    var isNavigation = false
    /// Whether its method is safe (RFC 9110 section 9.2.1).
    var hasSafeMethod = true

    init(_ target: RequestTarget, _ options: CookieJar.Options) {
        self.host = target.origin.host
        let path = target.target
        self.path = String(path[..<(path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex)])
        self.isSecure =
            target.origin.scheme == .https
            || (options.trustsLoopback && HostName.isLoopback(Array(target.origin.host.utf8)))
    }

    init(_ request: Request, _ target: RequestTarget, _ options: CookieJar.Options) {
        self.init(target, options)
        if options.usesHostField, let host = Self.hostOfField(request.headers) { self.host = host }
        self.hasSafeMethod = request.method.isSafe
        guard !request.context.isEmpty, let initiator = request.context[CookieInitiator.self] else { return }
        self.isSameSite = initiator.isSameSite(as: target.origin, options.suffixes)
        self.isNavigation = initiator.isNavigation
    }

    /// The host that the Host field names, without its port; nil if there is no such field, or an empty one.
    private static func hostOfField(_ headers: HTTPFields) -> String? {
        guard let field = headers.last(where: { $0.name.canonicalName == "host" }) else { return nil }
        let value = field.value.asciiLowercased.utf8
        let host =
            value.first == UInt8(ascii: "[")
            ? value.dropFirst().prefix { $0 != UInt8(ascii: "]") } : value.prefix { $0 != UInt8(ascii: ":") }
        return host.isEmpty ? nil : String(host)
    }

    /// Whether a cookie may be sent with a request of its site or of another one (RFC 6265bis section 5.8.3).
    func admits(_ sameSite: Cookie.SameSite) -> Bool {
        switch sameSite {
        case .none: true
        case .strict: self.isSameSite
        case .lax, .unspecified: self.isSameSite || (self.isNavigation && self.hasSafeMethod)
        }
    }

    /// The path of cookies without one (RFC 6265bis section 5.1.4): up to the last slash.
    var defaultPath: String {
        guard let slash = self.path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > self.path.startIndex else {
            return "/"
        }
        return String(self.path[..<slash])
    }

    /// Whether a path equals a cookie's path or is below it (RFC 6265bis section 5.1.4).
    static func path(_ path: String, matches cookiePath: String) -> Bool {
        let (path, prefix) = (path.utf8, cookiePath.utf8)
        guard path.starts(with: prefix) else { return false }
        return path.count == prefix.count || prefix.last == UInt8(ascii: "/")
            || path.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }

    /// Whether a host equals a domain or is below it (RFC 6265bis section 5.1.3).
    ///
    /// Both are in lower case.
    static func host(_ host: String, matches domain: String) -> Bool {
        let (host, domain) = (host.utf8, domain.utf8)
        guard host.count > domain.count else { return host.elementsEqual(domain) }
        let rest = host.dropLast(domain.count)
        return !domain.isEmpty && rest.last == UInt8(ascii: ".") && host.suffix(domain.count).elementsEqual(domain)
            && !HostName.isAddress(Array(host))
    }
}
