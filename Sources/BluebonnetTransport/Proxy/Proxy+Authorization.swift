// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

extension Proxy {
    /// Writes the fields for the proxy itself: its ``headers``, and the credentials for this request if there are any.
    func writeFields(_ authorization: ProxyAuthorization?, into buffer: inout ByteBuffer) {
        if let authorization {
            buffer.writeStaticString("Proxy-Authorization: ")
            buffer.writeString(authorization.field)
            buffer.writeStaticString("\r\n")
        }
        for field in self.headers {
            buffer.writeString(field.name.rawName)
            buffer.writeStaticString(": ")
            field.withUnsafeBytesOfValue { _ = buffer.writeBytes($0) }
            buffer.writeStaticString("\r\n")
        }
    }
}

extension HTTPField.Name {
    /// Whether a field is for a proxy and not for the origin (RFC 9110 section 11.7).
    ///
    /// Such a field is only ever taken from a ``Proxy``; in a request it is dropped, so that credentials for a proxy
    /// cannot reach an origin.
    package var isForProxy: Bool {
        guard self.canonicalName.utf8.first == UInt8(ascii: "p") else { return false }
        switch self.canonicalName {
        case "proxy-authorization", "proxy-connection", "proxy-authenticate", "proxy-authentication-info": return true
        default: return false
        }
    }
}

/// Base64 encoding (RFC 4648 section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = [UInt8]()
        var group: UInt32 = 0
        var count = 0
        func writeGroup(digits: Int) {
            for place in 0..<4 {
                let digit = Int(group >> (18 - 6 * UInt32(place))) & 63
                text.append(place < digits ? Self.alphabet[digit] : UInt8(ascii: "="))
            }
        }
        for byte in bytes {
            group |= UInt32(byte) << (16 - 8 * UInt32(count))
            count += 1
            if count == 3 {
                writeGroup(digits: 4)
                (group, count) = (0, 0)
            }
        }
        if count > 0 { writeGroup(digits: count + 1) }
        return String(decoding: text, as: UTF8.self)
    }
}
