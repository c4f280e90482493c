// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

/// A file that a download has moved to its destination.
public struct DownloadedFile: Sendable {
    /// The file's URL.
    public var url: URL

    /// The number of bytes.
    public var byteCount: Int64

    /// The response of the download; its body is empty, the bytes are in the file.
    ///
    /// If a response was interrupted and the call continued, status and header fields are those of the response that
    /// began the file, with the newer fields of the others, which need not repeat them (RFC 9110 section 15.3.7).
    ///
    /// If the server has only confirmed, with 416, that the bytes of an earlier download are all, the status is 200 and
    /// the fields are the recorded `ETag` and `Content-Encoding`.
    public var response: Response

    /// The number of bytes that came from an earlier download; 0 if it started with the first byte.
    public var resumedOffset: Int64 = 0

    /// The number of responses with bytes of this download: more than 1 if ``DownloadPolicy/parallelism`` had an
    /// effect, or if a response was interrupted and the download continued.
    public var rangeCount = 1

    /// Why bytes that were present were not used; nil if there were none, or if they were used.
    public var restart: DownloadRestart?

    /// The verified digests, from the policy and from the response.
    public var verifiedDigests: [ContentDigest] = []
}
