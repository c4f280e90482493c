// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// How long a response is fresh, and how old it was when it arrived (RFC 9111 sections 4.2.1 to 4.2.3); all in seconds.
struct Freshness: Sendable, Equatable {
    /// The statuses that may be stored without explicit freshness (RFC 9110 section 15.1), without 206.
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The lifetime that the response states, or that follows from its last modification.
    let lifetime: Int64

    /// The age when the response arrived.
    let initialAge: Int64

    /// When it arrived, in seconds since 1970.
    let responseTime: Int64

    /// Its Date, or when it arrived, in seconds since 1970.
    let date: Int64

    /// How a cache calculates freshness.
    struct Rules: Sendable, Equatable {
        var isShared = false
        var heuristicPercentage: Int64 = 10
        var maximumHeuristicLifetime: Int64 = 86_400
    }

    /// Calculates the freshness of a response.
    ///
    /// - Parameters:
    ///   - status: Its status code.
    ///   - headers: Its fields.
    ///   - directives: Its Cache-Control.
    ///   - responseTime: When it arrived, in seconds since 1970.
    ///   - responseDelay: How long the response took, in seconds.
    ///   - rules: How the cache calculates freshness.
    init(
        status: Int,
        headers: HTTPFields,
        directives: CacheDirectives,
        responseTime: Int64,
        responseDelay: Int64,
        rules: Rules
    ) {
        let stated = headers[.date].flatMap { HTTPDate.seconds($0, now: responseTime) }
        let date = stated ?? responseTime
        self.date = date
        self.lifetime =
            Self.explicitLifetime(headers, directives, date, responseTime, rules.isShared)
            ?? Self.estimate(status, headers, directives, date, rules)
        // RFC 9111 section 4.2.3, by its names: apparent_age and corrected_age_value.
        let apparentAge = max(0, responseTime - date)
        let correctedAge = Self.age(in: headers) + max(0, responseDelay)
        self.initialAge = max(apparentAge, correctedAge)
        self.responseTime = responseTime
    }

    /// The age at a time.
    ///
    /// A response that arrived in the future, because the clock was ahead then or is behind now, is taken for as old as it is
    /// far away: otherwise it would stay fresh until that time.
    func age(at now: Int64) -> Int64 {
        let now = min(max(now, 0), DeltaSeconds.largest << 8)
        return self.initialAge + max(now, self.responseTime) - min(now, self.responseTime)
    }

    private static func explicitLifetime(
        _ headers: HTTPFields,
        _ directives: CacheDirectives,
        _ date: Int64,
        _ now: Int64,
        _ isShared: Bool
    ) -> Int64? {
        if isShared, let lifetime = directives.sharedMaxAge { return lifetime }
        if let lifetime = directives.maxAge { return lifetime }
        let values = headers[values: .expires]
        guard !values.isEmpty else { return nil }
        // An invalid date is in the past (RFC 9111 section 5.3); of several dates, the earliest counts.
        let lifetimes = values.map { value in HTTPDate.seconds(value, now: now).map { max(0, $0 - date) } ?? 0 }
        return lifetimes.min()
    }

    /// RFC 9111 section 4.2.2: a share of the time since the last modification.
    private static func estimate(
        _ status: Int,
        _ headers: HTTPFields,
        _ directives: CacheDirectives,
        _ date: Int64,
        _ rules: Rules
    ) -> Int64 {
        guard Self.heuristicStatuses.contains(status) || directives.isPublic,
            let field = headers[.lastModified], let modified = HTTPDate.seconds(field, now: date), modified < date
        else { return 0 }
        // Dates have years of four digits at most, so nothing here can overflow.
        return min(
            (date - modified) * min(max(rules.heuristicPercentage, 0), 100) / 100,
            rules.maximumHeuristicLifetime
        )
    }

    /// The Age field: the first member of a list is used, and an invalid number is ignored (RFC 9111 section 5.1).
    private static func age(in headers: HTTPFields) -> Int64 {
        guard let value = headers[values: .age].first else { return 0 }
        let first = Array(value.utf8.prefix { $0 != UInt8(ascii: ",") }).trimmingBlanks
        return DeltaSeconds.parse(String(decoding: first, as: UTF8.self)) ?? 0
    }
}
