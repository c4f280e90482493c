// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a download may do to get its file to the destination.
public struct DownloadOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Replaces a file that is already there, in one step; without it the download fails before anything is sent.
    public static let overwrite = DownloadOptions(rawValue: 1 << 0)

    /// Makes the directories that lead to the destination.
    public static let createDirectories = DownloadOptions(rawValue: 1 << 1)
}
