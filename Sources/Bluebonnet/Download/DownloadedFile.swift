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

    /// How many of the bytes came from an earlier download; 0 if it started with the first byte.
    public var resumedOffset: Int64 = 0

    /// How many responses brought the bytes of this download: more than 1 where ``DownloadPolicy/parallelism`` had an effect, and where a
    /// response broke off and the download went on.
    public var rangeCount = 1

    /// Why bytes that were there already were not used; nil if there were none, or if they were.
    public var restart: DownloadRestart?

    /// The digests that were verified, that of the policy and those of the response.
    public var verifiedDigests: [ContentDigest] = []
}
