// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

// The default mirrors would print the header fields of every request, and what the policies hold.

extension Session {
    /// The type, without its settings.
    public var description: String { "Session" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension Session.Configuration {
    /// The number of the header fields and of the interceptors.
    public var description: String {
        let interceptors = self.interceptors.count + self.networkInterceptors.count
        return "Session.Configuration(\(self.headers.count) header fields, \(interceptors) interceptors)"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}
