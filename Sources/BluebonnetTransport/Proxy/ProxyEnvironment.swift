// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The proxy variables, parsed once; an error in one is kept until a request needs the variable.
struct ProxyEnvironment: Sendable {
    private static let names = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    private let http: Result<Proxy?, TransportError>
    private let https: Result<Proxy?, TransportError>
    private let bypass: Result<ProxyBypass, TransportError>

    /// Reads the environment of the process.
    static func ofProcess() -> ProxyEnvironment {
        var variables = [String: String]()
        for name in Self.names {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return ProxyEnvironment(variables)
    }

    init(_ variables: [String: String]) {
        func first(of names: String...) -> (name: String, value: String)? {
            for name in names {
                if let value = variables[name], !value.isEmpty { return (name, value) }
            }
            return nil
        }
        // Not HTTP_PROXY: a web server passes the request field “Proxy” to a CGI program under that name.
        self.http = Self.proxy(first(of: "http_proxy", "all_proxy", "ALL_PROXY"))
        self.https = Self.proxy(first(of: "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"))
        self.bypass = Self.read(first(of: "no_proxy", "NO_PROXY")) { value throws(TransportError) in
            try ProxyBypass(value)
        }.map { $0 ?? .none }
    }

    /// Whether no variable names a proxy.
    var isEmpty: Bool {
        if case .success(nil) = self.http, case .success(nil) = self.https { true } else { false }
    }

    /// Returns the proxy for an origin; nil to connect directly.
    func proxy(for origin: Origin) throws(TransportError) -> Proxy? {
        let choice = origin.scheme == .http ? self.http : self.https
        if case .success(nil) = choice { return nil }
        return try self.bypass.get().contains(origin) ? nil : choice.get()
    }

    private static func proxy(_ variable: (name: String, value: String)?) -> Result<Proxy?, TransportError> {
        Self.read(variable) { value throws(TransportError) in try Proxy(value) }
    }

    private static func read<Value>(
        _ variable: (name: String, value: String)?,
        as read: (String) throws(TransportError) -> Value
    ) -> Result<Value?, TransportError> {
        guard let variable else { return .success(nil) }
        do throws(TransportError) {
            return .success(try read(variable.value))
        } catch {
            var error = error
            error.reason = "the environment variable \(variable.name) cannot be read: \(error.reason)"
            return .failure(error)
        }
    }
}
