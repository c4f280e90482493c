// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A multipart form (RFC 7578).
public struct MultipartFormData: Sendable {
    /// Creates an empty form.
    public init() {}
}
