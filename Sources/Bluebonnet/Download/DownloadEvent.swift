// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// An event of a download's file; see ``CallEvent/download(_:)``.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum DownloadEvent: Sendable {
    /// The download continues after bytes that are present, of an earlier one or of an interrupted response: the first
    /// position that is received, and the total number of bytes, if known.
    case resumed(at: Int64, of: Int64?)
    /// The bytes that are present cannot be used, and the download starts with the first byte.
    case restarted(DownloadRestart)
    /// Bytes were received and written: how many, how many the file has now, and its total, if known.
    case wrote(Int, total: Int64, of: Int64?)
    /// The file is at its destination.
    case finished(URL, byteCount: Int64)
    /// The file is complete, but could not be moved to its destination; ``SessionError/downloadRemains`` says where it
    /// is.
    case notMoved(SessionError)
    /// The download ends without its file, by an error or a cancellation, and these bytes are kept.
    case kept(DownloadRemains)
}

/// Why bytes that were present could not be used.
///
/// Cases may be added in any version.
public enum DownloadRestart: String, Sendable, Hashable, Codable {
    /// The server has another representation now, or did not prove that it is the same.
    case changed
    /// The server sent the same representation from its first byte.
    case rangeIgnored
    /// The server cannot send the rest.
    case rangeRefused
    /// The server sent another part than the requested one, or a part with the status of the whole.
    case invalidPart
    /// Another URL answered than the one that the bytes came from, and there is no digest to verify them together.
    case otherSource
    /// The partial file is gone, or its journal does not describe it.
    case lost
}
