// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Where a request goes: scheme, host and port (RFC 6454).
///
/// Credentials never cross from one origin to another.
public struct Origin: Hashable, Sendable {
    /// The schemes the engine speaks.
    public enum Scheme: String, Hashable, Sendable {
        case http, https

        /// 80 for http, 443 for https.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// http or https.
    public var scheme: Scheme

    /// The host in lower case: a name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String

    /// The port, 1 to 65535.
    public var port: Int

    /// Creates an origin.
    ///
    /// - Parameters:
    ///   - scheme: http or https.
    ///   - host: The host; upper-case ASCII letters are lowered, brackets around an IPv6 address removed.
    ///   - port: The port; nil for the scheme's own.
    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = Authority.withoutBrackets(host.asciiLowercased)
        self.port = port ?? scheme.defaultPort
    }

    /// The value of the Host field: the port only where it is not the scheme's own, brackets around IPv6 (RFC 9110 section 7.2).
    public var authority: String {
        let name = self.host.utf8.contains(UInt8(ascii: ":")) ? "[\(self.host)]" : self.host
        return self.port == self.scheme.defaultPort ? name : "\(name):\(self.port)"
    }
}

extension Origin: CustomStringConvertible {
    public var description: String { "\(self.scheme.rawValue)://\(self.authority)" }
}
