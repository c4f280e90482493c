// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// Which fields of a response are stored (RFC 9111 section 3.1), and which a 304 changes (section 3.2).
enum StoredFields {
    /// Fields that concern one connection, or that were acted upon when they arrived.
    ///
    /// A Set-Cookie field takes effect when it arrives; repeated later, it would undo changes to the cookie since then.
    /// Authentication-Info is valid for one exchange only (RFC 7615 section 3).
    private static let never: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "trailer",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "set-cookie", "set-cookie2",
        "authentication-info",
    ]

    /// The fields among those above that stages above the cache act on when they arrive.
    private static let told = [HTTPField.Name.setCookie, .authenticationInfo]

    /// Fields of a 304 that would contradict the body that is stored.
    private static let body: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// Fields that decide about storing and reuse.
    private static let rules: Set<String> = ["cache-control", "vary", "age", "date", "expires", "pragma"]

    /// The fields of a response that may be stored.
    ///
    /// - Parameters:
    ///   - headers: All fields of the response.
    ///   - others: More names to leave out, in lower case.
    /// - Returns: The fields.
    static func keeping(_ headers: HTTPFields, without others: [String] = []) -> HTTPFields {
        let named = FieldList.names(of: .connection, in: headers) + others
        let isKept = { (name: HTTPField.Name) in
            !Self.never.contains(name.canonicalName) && !named.contains(name.canonicalName)
        }
        // Most responses have no such field, and are not copied.
        return headers.allSatisfy { isKept($0.name) } ? headers : HTTPFields.filtered(headers, isKept)
    }

    /// Adds the time of arrival to a response without a Date (RFC 9110 section 6.6.1).
    ///
    /// - Parameters:
    ///   - headers: The fields of the response.
    ///   - responseTime: When it arrived, in seconds since 1970.
    /// - Returns: The fields, with a Date.
    static func dated(_ headers: HTTPFields, _ responseTime: Int64) -> HTTPFields {
        guard !headers.contains(.date) else { return headers }
        var headers = headers
        headers[.date] = HTTPDate.text(responseTime)
        return headers
    }

    /// Adds the fields of a 304, or of a 206 that completes a part, that are for the caller alone: any response can set
    /// a cookie (RFC 6265 section 3).
    static func tell(_ arrived: HTTPFields, in headers: inout HTTPFields) {
        for field in arrived where Self.told.contains(field.name) { headers.append(field) }
    }

    /// Adds the cookies of a response that is not delivered to the one that is delivered instead, before its own: the
    /// later ones of a name count.
    static func tellCookies(of undelivered: HTTPFields, in headers: inout HTTPFields) {
        let cookies = HTTPFields.filtered(undelivered) { $0 == .setCookie }
        guard !cookies.isEmpty else { return }
        headers = headers.reduce(into: cookies) { $0.append($1) }
    }

    /// Whether a response lists a field that controls caching in its Connection field: it is not stored then.
    static func hidesRules(_ headers: HTTPFields) -> Bool {
        FieldList.names(of: .connection, in: headers).contains { Self.rules.contains($0) }
    }

    /// The fields of a stored response after a 304 (RFC 9111 section 3.2), whose fields replace stored ones.
    static func merging(_ stored: HTTPFields, with update: HTTPFields) -> HTTPFields {
        let new = HTTPFields.filtered(Self.keeping(update)) { !Self.body.contains($0.canonicalName) }
        let names = Set(new.map(\.name.canonicalName))
        // An Age field belongs to the response it arrived in.
        var merged = HTTPFields.filtered(stored) { !names.contains($0.canonicalName) && $0 != .age }
        for field in new { merged.append(field) }
        return merged
    }
}

extension HTTPFields {
    /// The fields whose names pass a test, in their order.
    static func filtered(_ fields: HTTPFields, _ isIncluded: (HTTPField.Name) -> Bool) -> HTTPFields {
        var result = HTTPFields()
        for field in fields where isIncluded(field.name) { result.append(field) }
        return result
    }
}
