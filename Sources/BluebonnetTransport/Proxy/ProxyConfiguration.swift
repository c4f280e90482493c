// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Which proxy a request goes through, if any.
///
/// ```swift
/// var configuration = NIOTransport.Configuration()
/// configuration.proxy = .fixed(try Proxy("http://proxy.example:3128"), bypass: try ProxyBypass("localhost, .internal.example"))
/// ```
public struct ProxyConfiguration: Sendable {
    /// Behind a pointer: every request carries one of these.
    private indirect enum Choice: Sendable {
        case none
        case process
        case environment(ProxyEnvironment)
        case fixed(Proxy, bypass: ProxyBypass)
    }

    private let choice: Choice

    /// No proxy, whatever the environment says.
    public static let none = ProxyConfiguration(choice: .none)

    /// What the environment of the process said when the transport was made.
    ///
    /// `http_proxy` is for `http` and `https_proxy` for `https`, `all_proxy` for both where they are not set, and `no_proxy` lists what is
    /// reached directly, as ``ProxyBypass`` reads it. Each may also be in upper case, which counts if the lower-case one is not set, except for
    /// `HTTP_PROXY`: a CGI program gets that one from whoever sends it a request with a field named `Proxy`, so it is ignored. An empty
    /// variable counts as not set. A variable that cannot be read fails the requests that it is for with
    /// ``TransportError/Code/invalidProxy``; they are not sent directly.
    public static let environment = ProxyConfiguration(choice: .process)

    /// What these variables say, in place of those of the process; see ``environment``.
    ///
    /// - Parameter variables: Names and values, for example `["https_proxy": "http://127.0.0.1:3128"]`.
    /// - Returns: The choice.
    public static func environment(_ variables: [String: String]) -> ProxyConfiguration {
        ProxyConfiguration(choice: .environment(ProxyEnvironment(variables)))
    }

    /// One proxy for every request.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - bypass: The origins that are reached directly; none unless given.
    /// - Returns: The choice.
    public static func fixed(_ proxy: Proxy, bypass: ProxyBypass = .none) -> ProxyConfiguration {
        ProxyConfiguration(choice: .fixed(proxy, bypass: bypass))
    }

    /// Whether no request goes through a proxy, so that nobody has to ask again.
    func isNone(process: ProxyEnvironment) -> Bool {
        switch self.choice {
        case .none: true
        case .process: process.isEmpty
        case .environment(let environment): environment.isEmpty
        case .fixed: false
        }
    }

    /// The proxy for an origin; nil to go there directly.
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
    /// What was chosen; never credentials.
    public var description: String {
        switch self.choice {
        case .none: "no proxy"
        case .process: "the proxy of the process's environment"
        case .environment: "the proxy of an environment"
        case .fixed(let proxy, _): proxy.description
        }
    }
}
