// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

// The default mirrors would print the values of header fields, queries and bodies.

extension TransportRequest {
    /// The method, the origin and the path, without the query, and the number of header fields.
    public var description: String {
        let path = Substring(self.target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        // The target may be in absolute form, with user information.
        let place = path.utf8.first == UInt8(ascii: "/") ? "\(self.origin)\(path)" : "\(self.origin)"
        return "TransportRequest(\(self.method.rawValue) \(place), \(self.headers.count) header fields)"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension TransportResponse {
    /// The status, the number of header fields, and the size of the body.
    public var description: String {
        "TransportResponse(\(self.status), \(self.headers.count) header fields, \(self.body))"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension ResponseBody {
    /// The size of a collected body, or that it is a stream.
    public var description: String { self.collectedByteCount.map { "\($0) bytes" } ?? "a stream" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

/// Header fields whose values are not printed with the value that holds them.
struct UnprintedFields: Sendable, CustomStringConvertible, CustomReflectable {
    let fields: HTTPFields

    var description: String { "\(self.fields.count) header fields" }

    var customMirror: Mirror { Mirror(describing: self) }
}
