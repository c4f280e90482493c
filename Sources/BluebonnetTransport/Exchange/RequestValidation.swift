// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

// A request that could be read as several requests, or differently by another recipient, is refused before a connection
// is leased, for every version of HTTP.

extension TransportRequest {
    /// Refuses a request that cannot be sent.
    func validate() throws(TransportError) {
        guard !self.method.rawValue.isEmpty else { throw .invalid("the method is empty") }
        // The type guarantees that a method is a token; it is checked again because it is written without escaping.
        guard self.method.rawValue.utf8.allSatisfy(\.isVisible) else {
            throw .invalid("the method holds bytes that are not allowed in a method")
        }
        guard self.method != .connect else { throw .invalid("CONNECT opens a tunnel, which is no exchange") }
        guard self.target.utf8.first == UInt8(ascii: "/") || (self.target == "*" && self.method == .options)
        else {
            throw .invalid("the request target does not begin with /")
        }
        guard self.target.utf8.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }) else {
            throw .invalid(
                "the request target holds spaces, control characters, # or bytes outside ASCII; percent-encode them"
            )
        }
        try self.origin.validate()
        switch self.body {
        case .file(let file): try file.validate()
        case .reader(let length?, _, _) where length < 0: throw .invalid("the length of the body is negative")
        case .none, .bytes, .reader: break
        }
        var hasHost = false
        for field in self.headers {
            if field.name.canonicalName == "host" {
                // A second Host, or one that servers parse differently, could route the request elsewhere (RFC 9112
                // section 3.2).
                guard !hasHost, field.value.utf8.allSatisfy(\.isHost) else {
                    throw .invalid("the header Host is there twice, or holds bytes that are not allowed in a host")
                }
                hasHost = true
            }
            let isSafe = field.withUnsafeBytesOfValue { $0.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }
            guard isSafe else { throw .invalid("the value of header \(field.name) holds CR, LF or NUL") }
        }
    }
}

extension Origin {
    /// Refuses an origin that cannot be connected to, or that a proxy could parse differently.
    func validate() throws(TransportError) {
        guard !self.host.isEmpty, self.host.utf8.allSatisfy(\.isHost) else {
            throw .invalid("the host is empty or holds bytes that are not allowed in a host")
        }
        guard (1...65535).contains(self.port) else { throw .invalid("the port is not between 1 and 65535") }
    }
}

extension UInt8 {
    /// Whether it is a visible ASCII character (VCHAR).
    fileprivate var isVisible: Bool { self > 0x20 && self < 0x7F }

    /// Whether the byte may occur in a host with its port, regardless of the syntax of the whole (RFC 3986 section
    /// 3.2).
    fileprivate var isHost: Bool {
        guard self.isVisible else { return false }
        return switch self {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "\\"),
            UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: ","):
            false
        default: true
        }
    }
}

extension TransportError {
    /// The request cannot be sent as it is.
    static func invalid(_ reason: String, isRequestSent: Bool = false) -> TransportError {
        TransportError(.invalidRequest, phase: .requestBody, reason: reason, isRequestSent: isRequestSent)
    }
}
