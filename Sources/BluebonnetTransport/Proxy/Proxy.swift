// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import HTTPTypes

/// A proxy: what it speaks, where it is, and how we show who we are.
///
/// An HTTP proxy carries `https` through a tunnel that it opens on CONNECT (RFC 9110 section 9.3.6), so that it sees the host and the
/// port and nothing else; a plain `http` request it reads and forwards. A SOCKS proxy (RFC 1928) carries both unread.
///
/// A value that cannot be used – a port out of range, a user name with a colon, credentials longer than the protocol can say – fails
/// each request with ``TransportError/Code/invalidProxy``. Neither the description nor any error holds the credentials or ``headers``.
public struct Proxy: Hashable, Sendable {
    /// What a proxy speaks.
    public enum Scheme: String, Hashable, Sendable, CaseIterable {
        /// HTTP over TCP.
        case http
        /// HTTP over TLS: the credentials and the names of the hosts are encrypted as far as the proxy.
        case https
        /// SOCKS 5; names are looked up here.
        case socks5
        /// SOCKS 5; names are looked up by the proxy.
        case socks5h

        /// 80 for http, 443 for https, 1080 for SOCKS.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            case .socks5, .socks5h: 1080
            }
        }
    }

    /// What it speaks.
    public var scheme: Scheme

    /// Its host: a name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String

    /// Its port, 1 to 65535.
    public var port: Int

    /// The user name; nil, with no password either, to send no credentials.
    ///
    /// Sent to an HTTP proxy as ``authentication`` says, where it holds no colon, and after RFC 1929 to a SOCKS proxy, where it has 1 to 255
    /// bytes.
    public var username: String?

    /// The password; up to 255 bytes for a SOCKS proxy.
    public var password: String?

    /// How user name and password are sent to an HTTP proxy: with Basic at once, unless changed, and with Digest where the proxy asks for it.
    public var authentication = Authentication.basicFirst

    /// Fields for an HTTP proxy itself, sent with CONNECT and with every request that it forwards: none unless changed.
    ///
    /// For a proxy that wants something other than a password, for example `Proxy-Authorization: Bearer …`, which takes the place of the user
    /// name and password and answers no challenge. Never sent through a tunnel.
    public var headers = HTTPFields()

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - scheme: What it speaks.
    ///   - host: Its host; upper-case ASCII letters are lowered, brackets around an IPv6 address removed.
    ///   - port: Its port; nil for the scheme's own.
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

    /// Whether it speaks HTTP, and not SOCKS.
    var speaksHTTP: Bool { self.scheme == .http || self.scheme == .https }

    /// Host and port, with brackets around IPv6.
    var authority: String { Authority.text(host: self.host, port: self.port) }
}

// By bytes: an accent that is written otherwise makes another user, whose tunnel is not lent.
extension Proxy {
    public static func == (left: Proxy, right: Proxy) -> Bool {
        left.scheme == right.scheme && left.port == right.port && left.host.utf8.elementsEqual(right.host.utf8)
            && left.username.hasSameBytes(as: right.username) && left.password.hasSameBytes(as: right.password)
            && left.authentication == right.authentication && left.headers == right.headers
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.scheme)
        hasher.combine(Array(self.host.utf8))
        hasher.combine(self.port)
        hasher.combine(self.username.map { Array($0.utf8) })
        hasher.combine(self.password.map { Array($0.utf8) })
        hasher.combine(self.authentication)
        hasher.combine(self.headers)
    }
}

extension String? {
    fileprivate func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.utf8.elementsEqual(other.utf8)
    }
}

// The default mirror would print the password.
extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Scheme, host and port; never the credentials.
    public var description: String { "\(self.scheme.rawValue)://\(self.authority)" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["proxy": self.description]) }
}

/// Host and port as a request line and an error say them.
enum Authority {
    /// `host:port`, with brackets around an IPv6 address.
    static func text(host: String, port: Int) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// A host without the brackets around an IPv6 address.
    static func withoutBrackets(_ host: String) -> String {
        guard host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]"), host.utf8.count > 1 else {
            return host
        }
        return String(host.utf8.dropFirst().dropLast()) ?? host
    }
}
