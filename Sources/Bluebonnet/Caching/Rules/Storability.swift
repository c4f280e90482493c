// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Whether a response may be stored (RFC 9111 section 3).
enum Storability {
    /// The statuses that this cache understands, for `must-understand` (RFC 9111 section 5.2.2.3).
    static let understood: Set<Int> = [
        200, 201, 202, 203, 204, 205, 300, 301, 302, 303, 305, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408,
        409, 410, 411, 412,
        413, 414, 415, 416, 417, 421, 422, 426, 500, 501, 502, 503, 504, 505,
    ]

    /// The largest number of names in the Vary field of a stored response.
    static let largestVary = 32

    /// The fields to store.
    ///
    /// - Parameters:
    ///   - status: The status code of the response to a GET request.
    ///   - headers: All its fields.
    ///   - directives: Its Cache-Control.
    ///   - request: The fields of the request.
    ///   - requestDirectives: Its Cache-Control.
    ///   - isShared: Whether the cache serves more than one user.
    /// - Returns: The fields; nil if the response may not be stored.
    static func fields(
        status: Int,
        headers: HTTPFields,
        directives: CacheDirectives,
        request: HTTPFields,
        requestDirectives: CacheDirectives,
        isShared: Bool
    ) -> HTTPFields? {
        // A part, or a response to a condition, is not a complete response.
        guard (200...599).contains(status), status != 206, status != 304, !headers.contains(.contentRange) else {
            return nil
        }
        // These answer a condition, range or expectation that the next request does not have (RFC 9110 section 15.5).
        guard ![412, 416, 417].contains(status) else { return nil }
        guard !requestDirectives.noStore, !StoredFields.hidesRules(headers) else { return nil }
        if directives.mustUnderstand {
            // must-understand overrides no-store if the status is understood.
            guard Self.understood.contains(status) else { return nil }
        } else if directives.noStore {
            return nil
        }
        let varying = FieldList.names(of: .vary, in: headers)
        guard varying.count <= Self.largestVary, !varying.contains(FieldList.everything),
            varying.allSatisfy({ HTTPField.Name($0) != nil })
        else {
            return nil
        }
        if isShared, !Self.mayShare(directives, request) { return nil }
        guard Self.isCacheable(status, headers, directives, isShared) else { return nil }
        return StoredFields.keeping(headers, without: Self.privateFields(directives, isShared))
    }

    /// RFC 9111 sections 3.5 and 5.2.2.7.
    private static func mayShare(_ directives: CacheDirectives, _ request: HTTPFields) -> Bool {
        if directives.isPrivate == .everything { return false }
        guard request.contains(.authorization) else { return true }
        return directives.isPublic || directives.mustRevalidate || directives.sharedMaxAge != nil
    }

    private static func isCacheable(
        _ status: Int,
        _ headers: HTTPFields,
        _ directives: CacheDirectives,
        _ isShared: Bool
    ) -> Bool {
        directives.isPublic || directives.maxAge != nil || headers.contains(.expires)
            || (isShared ? directives.sharedMaxAge != nil : directives.isPrivate != .nothing)
            || Freshness.heuristicStatuses.contains(status)
    }

    private static func privateFields(_ directives: CacheDirectives, _ isShared: Bool) -> [String] {
        if isShared, case .fields(let names) = directives.isPrivate { return names }
        return []
    }
}
