// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The bytes of a request, as a source that can be read as often as needed.
///
/// A body is a factory of ``BodyReader``s, so that a redirect, a retry or an authentication challenge can send it again. One
/// that cannot be produced twice says so in ``isReplayable``.
public enum RequestBody: Sendable {
    /// No body; not the same as an empty one.
    case none

    /// Bytes in memory.
    case data(Data)

    /// A regular file, read when it is sent.
    case file(URL)

    /// A multipart form, read part by part.
    case multipart(MultipartFormData)

    /// Bytes of the caller's own making.
    ///
    /// - Parameters:
    ///   - length: The number of bytes every reader will give; nil if it is not known (the body is then sent chunked).
    ///   - isReplayable: Whether `makeReader` may be called more than once.
    ///   - makeReader: Makes a reader that starts at the first byte.
    case stream(length: Int64?, isReplayable: Bool = true, makeReader: @Sendable () throws -> any BodyReader)
}
