// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

// The default mirrors would print the values of header fields, queries and bodies.

extension Request {
    /// The method, the URL without user information, query and fragment, and the number of header fields.
    public var description: String { "Request(\(self.line), \(self.headers.count) header fields)" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension Request {
    /// The method and the URL, without anything that may be secret.
    fileprivate var line: String { "\(self.method.rawValue) \(self.url.redactedText)" }
}

extension Response {
    /// The status, the request without anything that may be secret, and the size of the body.
    public var description: String {
        let request = self.request.map { ", \($0.line)" } ?? ""
        return "Response(\(self.status)\(request), \(self.headers.count) header fields, \(self.body.count) bytes)"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension SerializationError {
    public var debugDescription: String { self.description }

    public var customMirror: Mirror {
        Mirror(self, children: ["code": self.code.description, "reason": self.locatedReason])
    }
}

extension HTTPRequestSerializer {
    /// The number of default header fields.
    public var description: String { "HTTPRequestSerializer(\(self.defaultHeaders.count) default header fields)" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}
