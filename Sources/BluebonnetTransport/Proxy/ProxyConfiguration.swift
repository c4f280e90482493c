// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The choice of a proxy for each request.
///
/// ```swift
/// var configuration = NIOTransport.Configuration()
/// configuration.proxy = .fixed(try Proxy("http://proxy.example:3128"), bypass: try ProxyBypass("localhost, .internal.example"))
/// ```
public struct ProxyConfiguration: Sendable {
    /// Indirect, because every request contains one.
    private indirect enum Choice: Sendable {
        case none
        case process
        case environment(ProxyEnvironment)
        case fixed(Proxy, bypass: ProxyBypass)
    }

    private let choice: Choice

    /// No proxy, whatever the environment says.
    public static let direct = ProxyConfiguration(choice: .none)

    /// The proxies that the environment of the process named when the transport was created.
    ///
    /// `http_proxy` applies to `http`, `https_proxy` to `https`, `all_proxy` to both if those are not set, and
    /// `no_proxy` lists the origins reached directly, in the syntax of ``ProxyBypass``. Upper-case names are used if
    /// the lower-case ones are not set, except for `HTTP_PROXY`: in a CGI program, the sender of a request sets it with
    /// a field named `Proxy`, so it is ignored. An empty variable counts as not set. An invalid variable fails the
    /// requests that it applies to with ``TransportError/Code/invalidProxy``; they are not sent directly.
    public static let environment = ProxyConfiguration(choice: .process)

    /// Returns the proxies that these variables name, in place of those of the process; see ``environment``.
    ///
    /// - Parameter variables: Names and values, for example `["https_proxy": "http://127.0.0.1:3128"]`.
    /// - Returns: The configuration.
    public static func environment(_ variables: [String: String]) -> ProxyConfiguration {
        ProxyConfiguration(choice: .environment(ProxyEnvironment(variables)))
    }

    /// Returns a configuration with one proxy for every request.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - bypass: The origins that are reached directly; none unless given.
    /// - Returns: The configuration.
    public static func fixed(_ proxy: Proxy, bypass: ProxyBypass = .none) -> ProxyConfiguration {
        ProxyConfiguration(choice: .fixed(proxy, bypass: bypass))
    }

    /// Whether no request uses a proxy, so that the choice need not be made again.
    func isNone(process: ProxyEnvironment) -> Bool {
        switch self.choice {
        case .none: true
        case .process: process.isEmpty
        case .environment(let environment): environment.isEmpty
        case .fixed: false
        }
    }

    /// Returns the proxy for an origin; nil to connect directly.
    func proxy(for origin: Origin, process: ProxyEnvironment) throws(TransportError) -> Proxy? {
        switch self.choice {
        case .none: return nil
        case .process: return try process.proxy(for: origin)
        case .environment(let environment): return try environment.proxy(for: origin)
        case .fixed(let proxy, let bypass):
            if bypass.contains(origin) { return nil }
            try proxy.validate()
            return proxy
        }
    }
}

extension ProxyConfiguration: CustomStringConvertible {
    /// The choice, without credentials.
    public var description: String {
        switch self.choice {
        case .none: "no proxy"
        case .process: "the proxy of the process's environment"
        case .environment: "the proxy of an environment"
        case .fixed(let proxy, _): proxy.description
        }
    }
}
