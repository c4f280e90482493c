// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

// Whoever has the whole URL of an upload can often write to it.

extension UploadedFile {
    /// The size, and the URL without its query.
    public var description: String {
        "UploadedFile(\(self.byteCount) bytes, \(self.url.map(RequestTarget.redacted) ?? "no URL"))"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}

extension UploadRemains {
    /// The size, and the URL without its query.
    public var description: String {
        let url = self.url.map(RequestTarget.redacted) ?? "no URL"
        return "UploadRemains(\(self.acknowledgedByteCount) of \(self.byteCount) bytes, \(url))"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(describing: self) }
}
