// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a download may change to put its file at the destination.
public struct DownloadOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Replaces an existing file, in one step; without it the download fails before anything is sent.
    public static let overwrite = DownloadOptions(rawValue: 1 << 0)

    /// Creates the missing directories of the destination.
    public static let createDirectories = DownloadOptions(rawValue: 1 << 1)
}
