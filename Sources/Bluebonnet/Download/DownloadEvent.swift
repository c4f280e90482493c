// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Something that happens to the file of a download; see ``SessionEvent/download(_:)``.
public enum DownloadEvent: Sendable {
    /// The download goes on behind bytes that are there, of an earlier one or of a response that broke off: the first position that is
    /// received, and the bytes of the whole, if known.
    case resumed(at: Int64, of: Int64?)
    /// The bytes that are there are of no use, and the download starts with the first byte.
    case restarted(DownloadRestart)
    /// Bytes were received and written: how many, how many the file has now, and how many it will have, if known.
    case wrote(Int, total: Int64, of: Int64?)
    /// The file is at its destination.
    case finished(URL, byteCount: Int64)
    /// The file is complete, but could not take its name; ``SessionError/remains`` says where it is.
    case notMoved(SessionError)
}

/// Why bytes that were there already were of no use.
///
/// Cases may be added in any version.
public enum DownloadRestart: String, Sendable, Hashable, Codable {
    /// The server has another representation now, or did not show that it is the same one.
    case changed
    /// The server sent the same representation from its first byte.
    case rangeIgnored
    /// The server cannot send the rest.
    case rangeRefused
    /// The server sent another part than the one asked for.
    case invalidPart
    /// Another URL answered than the one that the bytes are from, and no digest was given to tell whether they fit.
    case otherSource
    /// The partial file is gone, or its journal does not describe it.
    case lost
}
