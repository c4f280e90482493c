// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// A built-in route: the paths it matches, and its response.
struct BuiltInRoute: Sendable {
    /// The pattern on the index page, for example `/status/N`.
    let pattern: String
    /// A short description.
    let summary: String
    /// Makes the responder of one request.
    let makeResponder: @Sendable (HTTPRequestHead) -> any Responder

    private let parts: [Substring]
    private let takesRest: Bool

    /// Creates a route that needs the request's body as it arrives.
    ///
    /// - Parameters:
    ///   - pattern: The path; a segment in capitals matches any text, `…` at the end any number of segments.
    ///   - summary: A short description.
    ///   - makeResponder: Makes the responder of one request.
    init(
        _ pattern: String,
        _ summary: String,
        responder makeResponder: @escaping @Sendable (HTTPRequestHead) -> any Responder
    ) {
        self.pattern = pattern
        self.summary = summary
        self.makeResponder = makeResponder
        let path = pattern.utf8.prefix { $0 != UInt8(ascii: "?") }
        var parts = path.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        self.takesRest = parts.last?.utf8.elementsEqual("…".utf8) == true
        if self.takesRest { parts.removeLast() }
        self.parts = parts
    }

    /// Creates a route that needs only the head of a request.
    init(_ pattern: String, _ summary: String, _ answer: @escaping @Sendable (ReceivedRequest) -> OutgoingResponse) {
        self.init(pattern, summary) { _ in HeadResponder(answer: answer) }
    }

    /// Whether the route matches a path.
    func matches(_ segments: [String]) -> Bool {
        guard self.takesRest ? segments.count >= self.parts.count : segments.count == self.parts.count else {
            return false
        }
        return zip(self.parts, segments).allSatisfy { part, segment in
            part.utf8.elementsEqual(segment.utf8) || part.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        }
    }
}

/// Responds to the head of a request; its body is counted and dropped.
struct HeadResponder: Responder {
    let answer: @Sendable (ReceivedRequest) -> OutgoingResponse

    mutating func response(to request: ReceivedRequest) -> PendingResponse {
        .ready(self.answer(request))
    }
}
