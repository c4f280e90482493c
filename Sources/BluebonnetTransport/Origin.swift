// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The origin of a request's target: scheme, host and port (RFC 6454).
///
/// Credentials are never sent from one origin to another.
public struct Origin: Hashable, Sendable {
    /// The schemes that the engine supports.
    public enum Scheme: String, Hashable, Sendable {
        case http, https

        /// The default port: 80 for http, 443 for https.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The scheme: http or https.
    public var scheme: Scheme

    /// The host in lower case: a name, an IPv4 address, or an IPv6 address without brackets, which may have a zone.
    public var host: String

    /// The port, 1 to 65535.
    public var port: Int

    /// Creates an origin.
    ///
    /// - Parameters:
    ///   - scheme: The scheme: http or https.
    ///   - host: The host; upper-case ASCII letters are converted to lower case, brackets around an IPv6 address
    ///     removed.
    ///   - port: The port; nil for the scheme's default.
    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = Authority.withoutBrackets(host.asciiLowercased)
        self.port = port ?? scheme.defaultPort
    }

    /// Creates an origin whose host is in lower case and without brackets.
    package init(scheme: Scheme, lowercasedHost host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
    }

    /// The value of the Host field: the port only if it is not the default, brackets around IPv6 (RFC 9110 section
    /// 7.2).
    ///
    /// The zone of an IPv6 address is left out (RFC 6874 section 4), so that origins in two zones may have the same
    /// value.
    public var authority: String { self.text(withHost: Authority.withoutZone(self.host)) }

    private func text(withHost host: String) -> String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return self.port == self.scheme.defaultPort ? name : "\(name):\(self.port)"
    }
}

extension Origin: CustomStringConvertible {
    /// The scheme, host and port, with the zone of an IPv6 address.
    public var description: String { "\(self.scheme.rawValue)://\(self.text(withHost: self.host))" }
}
