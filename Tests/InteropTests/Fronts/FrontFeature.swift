// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// What servers have beyond plain requests; the raw value is the name of the column in the documentation.
enum FrontFeature: String, CaseIterable {
    case clientCertificate = "Client certificate"
    case continuation = "100 (Continue)"
    case refusedExpectation = "Refused expectation"
    case earlyResponse = "Early response"
    case requestTrailers = "Request trailers"
    case responseTrailers = "Response trailers"
    case pipelining = "Pipelining"
    case reload = "Reload"

    /// The ways to speak to a server in which it has this: one for each version of HTTP.
    ///
    /// A client certificate needs TLS, of each version. The others go over plain connections where there are any; a reload over
    /// TLS, because Caddy sends GOAWAY only there.
    func fronts(of kind: ExternalServer.Kind, _ server: ExternalServer) -> [Front] {
        let versions: [NIOTransport.HTTPVersions] = [.http1, .http2]
        if self == .clientCertificate {
            let all = versions.flatMap { Front.secure(kind, server, server.mutual, $0) }
            return kind == .nghttpd ? all.filter(\.isHTTP2) : all
        }
        // A worker of nginx that has just started sometimes stops reading: that is not for every run.
        if self == .reload && (server.reload == nil || !FrontTable.isWanted) { return [] }
        let all = self == .reload ? Front.all(kind, server).reversed() : Front.all(kind, server)
        return versions.compactMap { version in all.first { $0.versions == version } }
            .filter { self.isKnown(of: kind, isHTTP2: $0.isHTTP2) }
    }

    /// Whether a server has this; Documentation/Interop.md says why others do not.
    private func isKnown(of kind: ExternalServer.Kind, isHTTP2: Bool) -> Bool {
        switch self {
        case .clientCertificate, .reload: true
        case .continuation: !isHTTP2 || ![.h2o, .nginxFront].contains(kind)
        case .refusedExpectation: kind != .nghttpd && (kind != .h2o || !isHTTP2)
        case .earlyResponse: ![.nghttpd, .varnishFront].contains(kind) && (kind != .h2o || !isHTTP2)
        case .requestTrailers: kind == .haproxy
        case .responseTrailers: ![.h2o, .squidFront, .varnishFront].contains(kind) && (kind != .apacheFront || isHTTP2)
        case .pipelining: !isHTTP2
        }
    }
}
