// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An event of a ``ResumableUpload``; see ``CallEvent/upload(_:)``.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum UploadEvent: Sendable, Hashable {
    /// The upload continues at the server's offset: the bytes that the server has, and those of the file.
    case resumed(at: Int64, of: Int64)
    /// The server has acknowledged bytes: how many it has now, and those of the file.
    case acknowledged(Int64, of: Int64)
    /// The upload starts again with the first byte, the whole or one of its parts.
    case restarted(UploadRestart)
    /// The server has everything.
    case finished(byteCount: Int64)
}
