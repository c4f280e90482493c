// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// The origin that a client's own header fields are meant for, in the context of its requests.
///
/// On any other origin only the fields of an allow-list are added: credentials, keys and whatever else a program has set stay behind. So do
/// the client certificate and the trailer fields that a session has for every request.
struct HomeOrigin: Sendable {
    var origin: Origin

    private static let allowed: Set<HTTPField.Name> = Set(
        [
            .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .contentEncoding, .contentLanguage, .contentType,
            .range, .ifRange, .userAgent,
        ] + ["Last-Event-ID"].compactMap { HTTPField.Name($0) }
    )

    /// Whether a default field may go to another origin.
    static func mayLeave(_ name: HTTPField.Name) -> Bool { self.allowed.contains(name) }

    /// Whether a request goes to another origin than the one that the secrets of its session are meant for.
    static func isLeft(by request: Request, to origin: Origin) -> Bool {
        guard !request.context.isEmpty, let home = request.context[HomeOrigin.self] else { return false }
        return home.origin != origin
    }
}
