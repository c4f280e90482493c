// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What has to be equal for one connection to serve two requests.
///
/// TLS options belong to the whole transport; the trust and the identity of a request are part of the key, so that a connection made
/// under one of them never serves a request under another.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    /// The route to the origin, with the credentials for it.
    ///
    /// A proxy that forwards could serve many origins over one connection, but only the proxy would gain by it: limits and queues are
    /// per origin.
    var route = Route.direct
    /// How packets leave this machine.
    var egress = Egress()
    /// The group of the request; nil for those without one.
    var group: Int?
    /// The server trust of the request; nil for the transport's own rule.
    var trust: TrustKey?
    /// The client identity of the request; nil for the transport's own identity.
    var clientIdentity: ClientIdentity?
    /// Whether only HTTP/1.1 may be used: the request asks for an upgrade, or the server requires HTTP/1.1.
    var requiresHTTP1 = false
}

extension PoolKey {
    /// The key of a request; server trust and client identity do not matter on plain HTTP.
    init(_ request: TransportRequest, route: Route) {
        self.init(origin: request.origin, route: route)
        self.egress = Egress(request)
        self.group = request.connectionGroup
        self.requiresHTTP1 = request.allowsUpgrade
        guard request.origin.scheme == .https else { return }
        self.trust = request.trust.map { TrustKey($0) }
        self.clientIdentity = request.clientIdentity
    }
}
