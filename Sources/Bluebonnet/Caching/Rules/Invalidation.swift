// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// The stored responses that a successful unsafe request invalidates (RFC 9111 section 4.4).
enum Invalidation {
    /// The URLs whose stored responses are invalidated.
    ///
    /// - Parameters:
    ///   - request: The request, with an unsafe method.
    ///   - target: Its URL, parsed.
    ///   - status: The status of the response.
    ///   - headers: Its fields; the targets of Location and Content-Location are included if they have the same origin.
    ///   - mark: The mark of the request; see ``CacheRoutes``.
    /// - Returns: The keys; none after an error.
    static func keys(
        after request: Request,
        _ target: RequestTarget,
        status: HTTPResponse.Status,
        headers: HTTPFields,
        mark: String
    ) -> [CacheKey] {
        guard status.kind == .successful || status.kind == .redirection else { return [] }
        var keys = [CacheKey(target, mark: mark)]
        for name in [HTTPField.Name.location, .contentLocation] {
            guard let field = headers[name], let other = RedirectTarget(field, from: request.url), !other.isCrossOrigin,
                let target = try? RequestTarget(other.url)
            else { continue }
            keys.append(CacheKey(target, mark: mark))
        }
        return keys
    }
}
