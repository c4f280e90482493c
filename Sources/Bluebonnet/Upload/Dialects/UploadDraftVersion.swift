// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An interop version of draft-ietf-httpbis-resumable-upload, sent in `Upload-Draft-Interop-Version`.
public struct UploadDraftVersion: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: Int

    /// Creates a version from a number, for one without a name here.
    ///
    /// - Parameter rawValue: The number; up to 4 means the fields of version 3, 5 those of version 5, and more those of version 6.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Version 3, draft 01: `Upload-Incomplete`.
    public static let v3 = Self(rawValue: 3)
    /// Version 5, drafts 02 and 03: `Upload-Complete`.
    public static let v5 = Self(rawValue: 5)
    /// Version 6, drafts 04 and 05: with `application/partial-upload`.
    public static let v6 = Self(rawValue: 6)

    /// Whether the end is signalled by `Upload-Complete`, rather than by `Upload-Incomplete`.
    var hasUploadComplete: Bool { self.rawValue >= 5 }

    /// Whether a piece has its own content type.
    var hasContentType: Bool { self.rawValue >= 6 }
}
