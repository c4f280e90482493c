// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import HTTPTypes

// The default mirrors would print the header fields and the URL with its query.

extension StoredResponse {
    /// The status, the number of header fields, and the size of the body.
    public var description: String {
        "StoredResponse(\(self.status), \(self.headers.count) header fields, \(self.bodyByteCount) bytes)"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension CacheProposal {
    /// The request without anything that may be secret, and the status.
    public var description: String {
        "CacheProposal(\(self.status), \(self.request), \(self.headers.count) header fields)"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}
