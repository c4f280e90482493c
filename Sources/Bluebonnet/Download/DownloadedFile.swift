// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

/// A file that a download has put in its place.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public var url: URL

    /// How many bytes it has.
    public var byteCount: Int64

    /// The response it came with; its body is empty, the bytes are in the file.
    public var response: Response
}
