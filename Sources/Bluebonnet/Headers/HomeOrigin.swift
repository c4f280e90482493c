// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// The origin that a client's own header fields are meant for, in the context of its requests.
///
/// A request without it has that of its session, which an ``HTTPSession`` has made for its base URL; any other session
/// has none, and its fields are meant for every origin.
///
/// For any other origin only the fields of an allow-list are added. Credentials, keys and all other fields that a
/// program has set are left out, as are the client certificate and the trailer fields that a session has for every
/// request.
package struct HomeOrigin: Sendable, Hashable {
    var origin: Origin

    private static let allowed: Set<HTTPField.Name> = Set(
        [
            .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .contentEncoding, .contentLanguage, .contentType,
            .range, .ifRange, .userAgent,
        ] + ["Last-Event-ID"].compactMap { HTTPField.Name($0) }
    )

    /// Whether a default field may be sent to another origin.
    static func mayLeave(_ name: HTTPField.Name) -> Bool { self.allowed.contains(name) }

    /// The origin that the session's secrets are meant for in a request; nil for every origin.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - session: The home origin of its session.
    /// - Returns: The origin that the request names, else that of the session.
    static func origin(of request: Request, in session: Origin?) -> Origin? {
        guard !request.context.isEmpty, let home = request.context[HomeOrigin.self] else { return session }
        return home.origin
    }

    /// Whether a request is sent to another origin than the one that its session's secrets are meant for.
    static func isLeft(by request: Request, to origin: Origin, in session: Origin?) -> Bool {
        guard let home = self.origin(of: request, in: session) else { return false }
        return home != origin
    }
}
