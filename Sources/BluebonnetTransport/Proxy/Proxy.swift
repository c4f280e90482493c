// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import HTTPTypes

/// A proxy: its protocol, its address, and the credentials for it.
///
/// An HTTP proxy carries `https` through a tunnel that it opens on CONNECT (RFC 9110 section 9.3.6), so that it sees
/// only the host and the port; it reads and forwards a plain `http` request. A SOCKS proxy (RFC 1928) carries both
/// without reading them.
///
/// An invalid value (a port out of range, a user name with a colon, credentials too long for the protocol) fails each
/// request with ``TransportError/Code/invalidProxy``. Neither the description nor any error contains the credentials or
/// ``headers``.
public struct Proxy: Hashable, Sendable {
    /// The protocol of a proxy.
    public enum Scheme: String, Hashable, Sendable, CaseIterable {
        /// HTTP over TCP.
        case http
        /// HTTP over TLS: the credentials and the host names are encrypted between client and proxy.
        case https
        /// SOCKS 5; the client resolves names.
        case socks5
        /// SOCKS 5; the proxy resolves names.
        case socks5h

        /// The default port: 80 for http, 443 for https, 1080 for SOCKS.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            case .socks5, .socks5h: 1080
            }
        }
    }

    /// The protocol.
    public var scheme: Scheme

    /// The host: a name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String

    /// The port, 1 to 65535.
    public var port: Int

    /// The user name; if it and the password are nil, no credentials are sent.
    ///
    /// For an HTTP proxy it is sent as ``authentication`` specifies and must not contain a colon. For a SOCKS proxy it
    /// is sent as in RFC 1929 and must have 1 to 255 bytes.
    public var username: String?

    /// The password; up to 255 bytes for a SOCKS proxy.
    public var password: String?

    /// How user name and password are sent to an HTTP proxy: with Basic at once, unless changed, and with Digest if the
    /// proxy offers it.
    public var authentication = Authentication.basicFirst

    /// Fields for an HTTP proxy itself, sent with CONNECT and with every forwarded request: none unless changed.
    ///
    /// Use them for a proxy that requires something other than a password. A field such as `Proxy-Authorization: Bearer
    /// …` replaces the user name and password and answers no challenge. The fields are never sent through a tunnel.
    public var headers = HTTPFields()

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - scheme: The protocol.
    ///   - host: The host; upper-case ASCII letters are converted to lower case, brackets around an IPv6 address
    ///     removed.
    ///   - port: The port; nil for the scheme's default.
    ///   - username: The user name.
    ///   - password: The password.
    public init(
        scheme: Scheme,
        host: String,
        port: Int? = nil,
        username: String? = nil,
        password: String? = nil
    ) {
        self.scheme = scheme
        self.host = Authority.withoutBrackets(host.asciiLowercased)
        self.port = port ?? scheme.defaultPort
        self.username = username
        self.password = password
    }

    /// Whether the protocol is HTTP, and not SOCKS.
    var speaksHTTP: Bool { self.scheme == .http || self.scheme == .https }

    /// The host and port, with brackets around an IPv6 address.
    var authority: String { Authority.text(host: self.host, port: self.port) }
}

// Compared by bytes: a user name in another Unicode normalization form is another user, whose tunnel is not shared.
extension Proxy {
    public static func == (left: Proxy, right: Proxy) -> Bool {
        left.scheme == right.scheme && left.port == right.port && BytewiseString.areEqual(left.host, right.host)
            && left.username.map { BytewiseString($0) } == right.username.map { BytewiseString($0) }
            && left.password.map { BytewiseString($0) } == right.password.map { BytewiseString($0) }
            && left.authentication == right.authentication && left.headers == right.headers
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.scheme)
        hasher.combine(BytewiseString(self.host))
        hasher.combine(self.port)
        hasher.combine(self.username.map { BytewiseString($0) })
        hasher.combine(self.password.map { BytewiseString($0) })
        hasher.combine(self.authentication)
        hasher.combine(self.headers)
    }
}

// The default mirror would print the password.
extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme, host and port, without the credentials.
    public var description: String { "\(self.scheme.rawValue)://\(self.authority)" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["proxy": self.description]) }
}

/// The host and port in the form of request lines and errors.
enum Authority {
    /// Returns `host:port`, with brackets around an IPv6 address.
    static func text(host: String, port: Int) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Returns a host without the zone of an IPv6 address, which means something on this machine alone: it is not sent
    /// (RFC 6874 section 4).
    static func withoutZone(_ host: String) -> String {
        guard host.utf8.contains(UInt8(ascii: ":")), let end = host.utf8.firstIndex(of: UInt8(ascii: "%")) else {
            return host
        }
        return String(host[..<end])
    }

    /// Returns a host without the brackets around an IPv6 address.
    static func withoutBrackets(_ host: String) -> String {
        guard host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]"), host.utf8.count > 1 else {
            return host
        }
        return String(host.utf8.dropFirst().dropLast()) ?? host
    }
}
