// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import HTTPTypes

// The default mirrors would print what the stages hold: the header fields and credentials of the session.

extension Call {
    /// The identity and the request, without anything that may be secret.
    public var description: String { "Call(\(self.id), \(self.originalRequest))" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension Chain {
    /// The call.
    public var description: String { "Chain(\(self.call))" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}
