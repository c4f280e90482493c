// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

extension Cookie {
    /// Creates the cookie of a Set-Cookie field, by the rules that need no other cookie (RFC 6265bis section 5.7, steps
    /// 3 to 22 but 16).
    ///
    /// - Parameters:
    ///   - field: The parsed field.
    ///   - request: The request whose response has the field.
    ///   - time: The time now.
    ///   - options: The rules that the specification leaves open.
    /// - Throws: The first rule that is broken.
    init(
        _ field: SetCookie,
        from request: CookieRequest,
        at time: Date,
        _ options: CookieJar.Options
    ) throws(Refusal) {
        let domain = try Self.domain(field.domain, request.host, options.suffixes)
        let path = field.path.map { String(decoding: $0, as: UTF8.self) } ?? request.defaultPath
        // A server can also choose the path of the URL, with a redirect. A shortened path would send the cookie to more
        // URLs than intended.
        guard field.path != nil || path.utf8.count <= options.maximumAttributeByteCount else { throw .tooLarge }
        self.init(
            Identity(
                name: field.name,
                domain: domain ?? request.host,
                isHostOnly: domain == nil,
                path: path
            ),
            field.value,
            created: time,
            expires: field.expiry(at: time, limit: options.maximumLifetime),
            isSecure: field.isSecure,
            isHTTPOnly: field.isHTTPOnly,
            sameSite: field.sameSite
        )
        guard request.isSecure || !self.isSecure else { throw .insecureOrigin }
        guard self.sameSite == .none || request.isSameSite || request.isNavigation else { throw .crossSite }
        try self.checkSecurity(hasPath: field.path != nil)
    }

    /// The domain of a cookie; nil for the host alone (steps 8 to 10).
    private static func domain(
        _ attribute: [UInt8],
        _ host: String,
        _ suffixes: PublicSuffixList
    ) throws(Refusal) -> String? {
        guard !attribute.isEmpty else { return nil }
        // An address is compared as it is: it has no subdomains.
        let bytes =
            attribute.first == UInt8(ascii: "[") ? attribute.dropFirst().filter { $0 != UInt8(ascii: "]") } : attribute
        let domain = String(decoding: bytes, as: UTF8.self)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw .invalidDomain }
        if domain.utf8.elementsEqual(host.utf8) {
            // A public suffix may set cookies for itself, like any host.
            return HostName.isAddress(bytes) || !suffixes.isPublicSuffix(domain) ? domain : nil
        }
        guard !HostName.isAddress(bytes) else { throw .invalidDomain }
        guard !suffixes.isPublicSuffix(domain) else { throw .publicSuffix }
        guard CookieRequest.host(host, matches: domain) else { throw .foreignDomain }
        // A name with a trailing dot or an empty label has no public suffix that could be checked.
        guard suffixes.publicSuffix(of: domain) != nil else { throw .invalidDomain }
        return domain
    }

    /// Checks SameSite=None and the name prefixes, ignoring case (steps 19 to 22).
    func checkSecurity(hasPath: Bool) throws(Refusal) {
        guard self.sameSite != .none || self.isSecure else { throw .sameSiteNoneNotSecure }
        guard !self.nameBytes.starts(withLowercased: "__secure-") || self.isSecure else { throw .securePrefix }
        if self.nameBytes.starts(withLowercased: "__host-") {
            guard self.isSecure, self.isHostOnly, hasPath, self.path == "/" else { throw .hostPrefix }
        }
        if self.nameBytes.isEmpty,
            self.valueBytes.starts(withLowercased: "__secure-") || self.valueBytes.starts(withLowercased: "__host-")
        {
            throw .prefixInValue
        }
    }
}

extension [UInt8] {
    /// Whether the bytes begin with those of a lower-case text, ignoring the case of ASCII letters.
    fileprivate func starts(withLowercased prefix: StaticString) -> Bool {
        self.count >= prefix.utf8CodeUnitCount
            && prefix.withUTF8Buffer { zip($0, self).allSatisfy { $0 == $1.asciiLowercased } }
    }
}
