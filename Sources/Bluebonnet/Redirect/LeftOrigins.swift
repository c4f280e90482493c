// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// In the context of a request: what it had at the origins that redirects have led it away from.
///
/// A request loses its own fields and its client certificate when it leaves an origin. If it is redirected back, its
/// session adds nothing in their place: another server has chosen that URL, and the request would be made for another
/// user than the one that the program has named.
struct LeftOrigins: Sendable, Hashable {
    /// What a request had at one origin.
    struct Loss: Sendable, Hashable {
        var fields: Set<HTTPField.Name> = []
        var hasClientIdentity = false
        var hasTrailers = false
    }

    private var losses: [Origin: Loss] = [:]

    /// What a request has lost by leaving an origin; nil if it had nothing there.
    static func loss(of request: Request, at origin: Origin) -> Loss? {
        request.context.isEmpty ? nil : request.context[LeftOrigins.self]?.losses[origin]
    }

    /// Whether the session may not add a field to a request at the origin of its URL.
    static func withholds(_ name: HTTPField.Name, from request: Request) -> Bool {
        guard !request.context.isEmpty, let left = request.context[LeftOrigins.self],
            let origin = try? RequestTarget(request.url).origin
        else { return false }
        return left.losses[origin]?.fields.contains(name) ?? false
    }

    /// Records what a request has at its origin, which it leaves.
    fileprivate mutating func add(_ request: Request, at target: RequestTarget) {
        var loss = self.losses[target.origin] ?? Loss()
        loss.fields.formUnion(request.headers.lazy.map(\.name).filter { !HomeOrigin.mayLeave($0) })
        // It is sent as this field.
        if target.userInfo != nil { loss.fields.insert(.authorization) }
        if let options = request.context[TransportOptions.self] {
            if options.clientIdentity != nil { loss.hasClientIdentity = true }
            if options.trailers != nil || options.contentDigestTrailer != nil { loss.hasTrailers = true }
        }
        if loss != Loss() { self.losses[target.origin] = loss }
    }
}

extension Request {
    /// Records what the redirected request has at the origin that this one leaves.
    mutating func noteLoss(of redirected: Request) {
        guard let target = try? RequestTarget(redirected.url) else { return }
        var left = redirected.context[LeftOrigins.self] ?? LeftOrigins()
        left.add(redirected, at: target)
        if left != LeftOrigins() { self.context[LeftOrigins.self] = left }
    }
}
