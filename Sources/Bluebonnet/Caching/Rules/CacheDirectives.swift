// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// The directives of Cache-Control (RFC 9111 section 5.2), of a request or of a response.
///
/// If a directive is repeated or invalid, the stricter interpretation applies (RFC 9111 section 4.2.1): an invalid
/// lifetime has expired.
struct CacheDirectives: Sendable, Equatable {
    /// The scope of a directive that applies to the whole message or to some of its fields.
    enum Scope: Sendable, Equatable {
        case nothing
        /// The fields with these names, in lower case.
        case fields([String])
        case everything
    }

    /// How stale a response may be at most; `.max` for any staleness.
    static let unlimited = Int64.max

    var isPresent = false
    var noStore = false
    var noCache = Scope.nothing
    var isPrivate = Scope.nothing
    var isPublic = false
    var mustRevalidate = false
    var proxyRevalidate = false
    var mustUnderstand = false
    var immutable = false
    var onlyIfCached = false
    var maxAge: Int64?
    var sharedMaxAge: Int64?
    var minFresh: Int64?
    var maxStale: Int64?
    var staleWhileRevalidate: Int64?
    var staleIfError: Int64?

    /// Parses the fields of a message.
    init(_ headers: HTTPFields) {
        guard headers.contains(.cacheControl) else { return }
        self.isPresent = true
        for member in FieldList.members(of: .cacheControl, in: headers) { self.add(member) }
    }

    private mutating func add(_ member: FieldList.Member) {
        switch member.name {
        case "no-store": self.noStore = true
        case "no-cache": self.noCache.widen(member)
        case "private": self.isPrivate.widen(member)
        case "public": self.isPublic = true
        case "must-revalidate": self.mustRevalidate = true
        case "proxy-revalidate": self.proxyRevalidate = true
        case "must-understand": self.mustUnderstand = true
        case "immutable": self.immutable = true
        case "only-if-cached": self.onlyIfCached = true
        case "max-age": self.maxAge = min(self.maxAge ?? .max, member.seconds ?? 0)
        case "s-maxage": self.sharedMaxAge = min(self.sharedMaxAge ?? .max, member.seconds ?? 0)
        case "min-fresh": self.minFresh = max(self.minFresh ?? 0, member.seconds ?? .max)
        // Without a value it allows any staleness (RFC 9111 section 5.2.1.2).
        case "max-stale":
            let limit = member.argument == nil ? Self.unlimited : member.seconds ?? 0
            self.maxStale = min(self.maxStale ?? .max, limit)
        case "stale-while-revalidate":
            self.staleWhileRevalidate = min(self.staleWhileRevalidate ?? .max, member.seconds ?? 0)
        case "stale-if-error":
            self.staleIfError = min(self.staleIfError ?? .max, member.seconds ?? 0)
        default: break
        }
    }
}

extension CacheDirectives.Scope {
    /// Adds a repeated directive; without valid names it applies to everything.
    fileprivate mutating func widen(_ member: FieldList.Member) {
        let names = member.isMalformed ? [] : member.argument.map(FieldList.names) ?? []
        guard !names.isEmpty, names.allSatisfy({ HTTPField.Name($0) != nil }) else {
            self = .everything
            return
        }
        switch self {
        case .everything: break
        case .nothing: self = .fields(names)
        case .fields(var others):
            // Taken out first, so that the list grows in place.
            self = .nothing
            others += names
            self = .fields(others)
        }
    }
}

extension FieldList.Member {
    /// The argument as delta-seconds; nil if it is not a valid number.
    fileprivate var seconds: Int64? {
        guard !self.isMalformed, let argument else { return nil }
        return DeltaSeconds.parse(argument)
    }
}

/// A number of seconds in a field (RFC 9111 section 1.2.2).
enum DeltaSeconds {
    /// The limit for larger numbers: 2 to the 31st, 68 years.
    static let largest: Int64 = 1 << 31

    /// Parses a number: digits, and nothing else.
    static func parse(_ text: some StringProtocol) -> Int64? {
        text.utf8.decimalNumber(clampedTo: Self.largest)
    }
}
