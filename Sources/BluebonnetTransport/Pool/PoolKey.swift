// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The properties that must be equal for one connection to serve two requests.
///
/// TLS options belong to the whole transport; a request's server trust and client identity are part of the key, so that
/// a connection made under one of them never serves a request under another.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    /// The route to the origin, with its credentials.
    ///
    /// A forwarding proxy could serve many origins over one connection, but only the proxy would benefit: limits and
    /// queues are per origin.
    var route = Route.direct
    /// How packets leave this machine.
    var egress = Egress()
    /// The connection group of the request; nil for none.
    var group: Int?
    /// The server trust of the request; nil for the transport's own rule.
    var trust: TrustKey?
    /// The client identity of the request; nil for the transport's own identity.
    var clientIdentity: ClientIdentity?
    /// Whether only HTTP/1.1 may be used: the request asks for an upgrade, or the server requires HTTP/1.1.
    var requiresHTTP1 = false
}

extension PoolKey {
    /// Creates the key of a request; server trust and client identity are ignored on plain HTTP.
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
