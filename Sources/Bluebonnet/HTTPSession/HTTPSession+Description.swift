// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import HTTPTypes

// The default mirrors would print user information, header fields and the settings of the session.

extension HTTPSession {
    /// The base URL, without user information and query.
    public var description: String { "HTTPSession(\(self.baseURL.map(RequestTarget.redacted) ?? "no base URL"))" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension PreparedCall {
    /// The request, without anything that may be secret.
    public var description: String { "PreparedCall(\(self.request))" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}
