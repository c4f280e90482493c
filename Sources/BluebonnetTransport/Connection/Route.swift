// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The route of a connection to its origin.
///
/// It is part of the pool key: a connection is reused only for requests with the same route.
enum Route: Hashable, Sendable {
    /// A connection to an address of the origin's host.
    case direct
    /// A connection to a Unix socket on this machine, whatever the origin's host is.
    case unixSocket(path: BytewiseString)
    /// A tunnel to the origin through a proxy, with the proxy's credentials: the tunnel of one user is not used for
    /// another.
    indirect case tunnel(Proxy)
    /// A proxy that reads and forwards requests, with its credentials.
    indirect case forwarder(Proxy)

    /// The proxy of the route, if there is one.
    var proxy: Proxy? {
        switch self {
        case .direct, .unixSocket: nil
        case .tunnel(let proxy), .forwarder(let proxy): proxy
        }
    }

    /// The proxy that forwards the requests, if there is one.
    var forwarder: Proxy? {
        if case .forwarder(let proxy) = self { proxy } else { nil }
    }
}

/// Decides the route of each request.
struct Router: Sendable {
    private let unixSocketPath: String?
    private let proxy: ProxyConfiguration
    private let process: ProxyEnvironment
    /// Whether a proxy may forward requests; forwarding requires HTTP/1.1.
    private let mayForward: Bool
    /// Whether a request without a route of its own connects directly to its origin, whatever that is.
    private let isDirect: Bool
    private let addresses: AddressPolicy

    init(
        _ configuration: NIOTransport.Configuration,
        process: @autoclosure () -> ProxyEnvironment = ProxyEnvironment.ofProcess()
    ) {
        self.unixSocketPath = configuration.unixSocketPath
        self.proxy = configuration.proxy
        self.process = process()
        self.mayForward = configuration.httpVersions != .http2
        self.addresses = configuration.addressPolicy
        self.isDirect =
            self.unixSocketPath == nil && self.addresses.isUnrestricted && self.proxy.isNone(process: self.process)
    }

    /// The route of a request: its own setting before the transport's, and a Unix socket before a proxy.
    func route(for request: TransportRequest) throws(TransportError) -> Route {
        if let path = request.unixSocketPath { return try Self.route(unixSocketPath: path) }
        // A proxy that forwards a request drops its Upgrade field, which is for the next hop (RFC 9110 section 7.6.1).
        let mayForward = !request.allowsUpgrade
        if let proxy = request.proxy { return try self.route(via: proxy, to: request.origin, mayForward: mayForward) }
        return try self.route(to: request.origin, mayForward: mayForward)
    }

    /// The route of a request without a setting of its own.
    func route(to origin: Origin, mayForward: Bool = true) throws(TransportError) -> Route {
        if self.isDirect { return .direct }
        if let path = self.unixSocketPath { return try Self.route(unixSocketPath: path) }
        return try self.route(via: self.proxy, to: origin, mayForward: mayForward)
    }

    private func route(
        via proxy: ProxyConfiguration,
        to origin: Origin,
        mayForward: Bool
    ) throws(TransportError) -> Route {
        try self.addresses.check(origin)
        guard let proxy = try proxy.proxy(for: origin, process: self.process) else { return .direct }
        let isForwarded = mayForward && self.mayForward && origin.scheme == .http && proxy.speaksHTTP
        return isForwarded ? .forwarder(proxy) : .tunnel(proxy)
    }

    private static func route(unixSocketPath path: String) throws(TransportError) -> Route {
        let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .invalid("the path of the Unix socket is empty or holds a NUL")
        }
        guard path.utf8.count <= limit else {
            throw .invalid("the path of the Unix socket is longer than \(limit) bytes, which is all the system takes")
        }
        return .unixSocket(path: BytewiseString(path))
    }
}
