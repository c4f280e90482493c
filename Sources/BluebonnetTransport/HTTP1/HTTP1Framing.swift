// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore

/// The message body length of a response, determined from its head (RFC 9112 section 6.3).
struct HTTP1Framing {
    enum Body: Equatable {
        case none
        case fixed(Int64)
        case chunked
        case untilClose
        /// The connection switches to another protocol after the head.
        case tunnel
    }

    var body: Body
    /// The value of Content-Length, even if there is no body (HEAD, 304).
    var contentLength: Int64?
    var keepsConnection: Bool
    /// How long the connection may be idle; nil if the server does not say so.
    var idleLimit: TimeAmount?

    init(
        status: HTTPResponse.Status,
        fields: HTTPFields,
        method: HTTPRequest.Method,
        isVersion11: Bool
    ) throws(TransportError) {
        if method == .connect, status.kind == .successful {
            // RFC 9110 section 9.3.6: the fields that describe a body are ignored, and the connection becomes a tunnel.
            (self.body, self.contentLength, self.keepsConnection) = (.tunnel, nil, false)
            return
        }
        var codings = [Substring]()
        var hasTransferEncoding = false
        var closes = false
        var keepsAlive = false
        var length: Int64?
        // One pass over the fields instead of three lookups by name.
        for field in fields {
            switch field.name {
            case .contentLength:
                try Self.readLength(field.value, into: &length)
            case .transferEncoding:
                hasTransferEncoding = true
                codings += field.value.listElements
            case .connection:
                for option in field.value.listElements {
                    closes = closes || option.isASCIIWord("close")
                    keepsAlive = keepsAlive || option.isASCIIWord("keep-alive")
                }
            case .keepAlive:
                self.idleLimit = KeepAlive.idleLimit(field.value) ?? self.idleLimit
            default: break
            }
        }
        self.contentLength = length
        let lasts = isVersion11 ? !closes : keepsAlive && !closes

        if status.code == 101 {
            (self.body, self.keepsConnection) = (.tunnel, false)
        } else if method == .head || status.code < 200 || status.code == 204 || status.code == 304 {
            (self.body, self.keepsConnection) = (.none, lasts)
        } else if hasTransferEncoding {
            // RFC 9112 section 6.3: both fields together may be a request smuggling attempt. An empty field counts too.
            guard length == nil else { throw .violation("the response has both Transfer-Encoding and Content-Length") }
            guard codings.count == 1, codings[0].isASCIIWord("chunked") else {
                throw .violation("the response has a transfer coding other than chunked")
            }
            // Chunks from an HTTP/1.0 server are read, but the connection is not reused (section 6.1).
            (self.body, self.keepsConnection) = (.chunked, lasts && isVersion11)
        } else if let length {
            (self.body, self.keepsConnection) = (.fixed(length), lasts)
        } else {
            (self.body, self.keepsConnection) = (.untilClose, false)
        }
    }

    static func readLength(_ value: String, into length: inout Int64?) throws(TransportError) {
        // A list of equal lengths is accepted, a list of different ones is not (RFC 9110 section 8.6).
        let elements = value.listElements
        guard !elements.isEmpty else { throw .violation("the response's Content-Length is empty") }
        for element in elements {
            guard let number: Int64 = element.utf8.decimalNumber() else {
                throw .violation("the response's Content-Length is not a number")
            }
            guard length == nil || length == number else {
                throw .violation("the response has conflicting Content-Length values")
            }
            length = number
        }
    }
}

extension String {
    /// The elements of a comma-separated field value, without surrounding whitespace and without empty elements (RFC
    /// 9110 section 5.6.1).
    var listElements: [Substring] {
        // Most lists have one element.
        let isSingle = self.utf8.allSatisfy { $0 != UInt8(ascii: ",") && !$0.isBlank }
        if isSingle { return self.isEmpty ? [] : [Substring(self)] }
        return self.utf8.split(separator: UInt8(ascii: ",")).compactMap { element in
            let element = element.trimmingBlanks
            return element.isEmpty ? nil : Substring(element)
        }
    }
}
