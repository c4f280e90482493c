// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Which requests of a session with a cache are answered by stored responses only (RFC 9111 section 5.2.1.7).
struct StoreOnlyRule: Sendable {
    /// Whether the session's own fields forbid to send requests, unless a request replaces them.
    let isOffline: Bool

    init(_ configuration: Session.Configuration) {
        self.isOffline = CacheDirectives(configuration.headers).onlyIfCached
    }

    /// Whether a request without the session's fields is never sent.
    func applies(to request: Request) -> Bool {
        switch request.options.cachePolicy ?? .useProtocolCachePolicy {
        case .returnCacheDataDontLoad: true
        case .useProtocolCachePolicy: request.headers.contains(.cacheControl) ? Self.forbids(request) : self.isOffline
        default: false
        }
    }

    /// Whether a complete request may not be sent, whatever its method is.
    static func mayNotBeSent(_ request: Request) -> Bool {
        request.options.cachePolicy ?? .useProtocolCachePolicy == .useProtocolCachePolicy && Self.forbids(request)
    }

    private static func forbids(_ request: Request) -> Bool {
        request.headers.contains(.cacheControl) && CacheDirectives(request.headers).onlyIfCached
    }
}
