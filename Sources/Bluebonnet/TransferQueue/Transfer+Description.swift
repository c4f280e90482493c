// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

// The default mirror would print the URL with its query.

extension Transfer {
    /// The identity, the URL without its query, and the state.
    public var description: String {
        "Transfer(\(self.id), \(RequestTarget.redacted(self.url)), \(self.state.rawValue))"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}
