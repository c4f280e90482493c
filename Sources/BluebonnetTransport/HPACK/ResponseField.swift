// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// A field of a response's header block, checked once when it is decoded (RFC 9113 sections 8.2 and 8.3.2).
struct ResponseField: HPACKEntry, Sendable {
    /// What the field is, or why it makes its response malformed.
    enum Content {
        case status(HTTPResponse.Status)
        case field(HTTPField)
        case fault(String)
    }

    struct Name: Sendable {
        fileprivate enum Kind {
            case status
            case field(HTTPField.Name)
            case fault(String)
        }

        fileprivate let kind: Kind
        fileprivate let byteCount: Int
    }

    let name: Name
    let content: Content
    let byteCount: Int

    init(name: Name, value: UnsafeBufferPointer<UInt8>) {
        self.name = name
        self.byteCount = name.byteCount + value.count
        switch name.kind {
        case .fault(let reason): self.content = .fault(reason)
        case .status: self.content = Self.status(value)
        case .field(let name): self.content = Self.field(name, value)
        }
    }

    private static func status(_ value: UnsafeBufferPointer<UInt8>) -> Content {
        guard value.count == 3, let code: Int = value.decimalNumber(), code >= 100 else {
            return .fault("the response's status is not a number of three digits")
        }
        return .status(HTTPResponse.Status(code: code))
    }

    private static func field(_ name: HTTPField.Name, _ value: UnsafeBufferPointer<UInt8>) -> Content {
        guard !value.contains(where: { $0 == 0 || $0 == 0x0D || $0 == 0x0A }) else {
            return .fault("a header value of the response holds CR, LF or NUL")
        }
        // RFC 9113 section 8.2.1.
        guard value.first?.isBlank != true, value.last?.isBlank != true else {
            return .fault("a header value of the response begins or ends with a blank, which HTTP/2 forbids")
        }
        return .field(HTTPField(name: name, lenientValue: value))
    }
}

extension ResponseField.Name {
    /// The connection-specific fields (RFC 9113 section 8.2.2).
    private static let forbidden: Set = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// - Parameters:
    ///   - name: The name.
    ///   - byteCount: Its bytes as they were sent: what is not UTF-8 has other bytes in a string, and both sides' tables count the same.
    init(_ name: String, byteCount: Int? = nil) {
        self.byteCount = byteCount ?? name.utf8.count
        if name.utf8.first == UInt8(ascii: ":") {
            self.kind =
                name == ":status"
                ? .status : .fault("the response has a pseudo-header field that does not belong there")
        } else if let field = HTTPField.Name(parsed: name) {
            self.kind =
                Self.forbidden.contains(name)
                ? .fault("the response has the field \(name), which HTTP/2 forbids") : .field(field)
        } else {
            self.kind = .fault("a header field of the response has no valid name")
        }
    }
}
