// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// All built-in routes.
enum BuiltInRoutes {
    static let routes: [BuiltInRoute] =
        Self.echoRoutes + Self.byteRoutes + Self.statusRoutes + Self.redirectRoutes + Self.documentRoutes
        + Self.compressionRoutes + Self.cookieRoutes + Self.authenticationRoutes

    /// Returns the responder of a request; an unknown path results in 404.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - names: The first segments of the paths that are served; nil for all.
    /// - Returns: The responder.
    static func responder(for head: HTTPRequestHead, named names: Set<String>? = nil) -> any Responder {
        let segments = ReceivedTarget(head.uri).segments
        if let names, !(segments.first.map { names.contains($0) } ?? false) { return self.notFound }
        if segments.isEmpty { return HeadResponder { _ in .document(Self.index, type: "text/plain; charset=utf-8") } }
        if let route = self.routes.first(where: { $0.matches(segments) }) { return route.makeResponder(head) }
        return self.notFound
    }

    private static var notFound: HeadResponder {
        HeadResponder { _ in .error(404, "there is no such route; GET / lists them") }
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
