// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

// The default mirrors would print the values of header fields, queries and bodies, and the facts of the exchange.

extension StreamedResponse {
    /// The status, the request without anything that may be secret, and the size of the body.
    public var description: String {
        let request = "\(self.method.rawValue) \(RequestTarget.redacted(self.url))"
        return "StreamedResponse(\(self.status), \(request), \(self.headers.count) header fields, \(self.body))"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}
