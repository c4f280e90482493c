// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// All built-in routes.
enum RouteTable {
    static let routes: [BuiltInRoute] =
        Self.echoRoutes + Self.byteRoutes + Self.statusRoutes + Self.redirectRoutes + Self.documentRoutes
        + Self.compressionRoutes + Self.cookieRoutes + Self.authenticationRoutes

    /// Finds what answers a request; an unknown path gets 404.
    static func responder(for head: HTTPRequestHead) -> any Responder {
        let segments = ReceivedTarget(head.uri).segments
        if segments.isEmpty { return HeadResponder { _ in .document(Self.index, type: "text/plain; charset=utf-8") } }
        if let route = self.routes.first(where: { $0.matches(segments) }) { return route.makeResponder(head) }
        return HeadResponder { _ in .error(404, "there is no such route; GET / lists them") }
    }

    private static let index: String = {
        let width = (Self.routes.map(\.pattern.count).max() ?? 0) + 2
        var text = "Routes of this test server:\n\n"
        for route in Self.routes {
            let gap = String(repeating: " ", count: width - route.pattern.count)
            text += "  \(route.pattern)\(gap)\(route.summary)\n"
        }
        return text
    }()
}
