// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

/// A file that was uploaded by a ``ResumableUpload``.
public struct UploadedFile: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL of the upload; nil if the server accepted the file at once without one.
    public var url: URL?

    /// The number of bytes of the file.
    public var byteCount: Int64

    /// The number of bytes that the server had before this upload began; 0 for one that was not continued.
    public var resumedOffset: Int64 = 0

    /// Why an earlier upload was not continued; nil if there was none, or if it was.
    public var restart: UploadRestart?

    /// The last response: to the last piece, to the request that joined the parts, or to the one that found the upload complete.
    ///
    /// It is nil if an earlier process had completed the upload already.
    public var response: Response?
}

/// Why an upload started again with the first byte.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum UploadRestart: String, Sendable, Hashable {
    /// The server no longer has the upload.
    case lost
    /// The file has changed, and ``ResumableUpload/whenChanged`` is set to start again.
    case changed
}

/// The remains of a failed ``ResumableUpload``, which the same call continues.
public struct UploadRemains: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The number of bytes that the server has acknowledged.
    public var acknowledgedByteCount: Int64

    /// The number of bytes of the file.
    public var byteCount: Int64

    /// The URL of the upload, without user information; nil if the server has named none, and for the parts of a parallel upload.
    public var url: URL?

    /// The time at which the server drops the upload, as it wrote it in `Upload-Expires`; nil if it has not said.
    public var expires: String?

    /// The file URL of the journal.
    public var journal: URL
}
