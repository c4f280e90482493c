// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What an upload asks of tus beyond the settings of every ``ResumableUpload``.
public struct TusOptions: Sendable, Hashable {
    /// The most partial uploads of one file: 16.
    public static let largestParallelism = 16

    /// What the server is told about the file in `Upload-Metadata`.
    ///
    /// `filename` (the file's name) and `filetype` (`application/octet-stream`) are added where they are not given. Keys are visible ASCII
    /// without commas; others fail with ``SessionError/Code/invalidRequest``.
    public var metadata: [String: String]

    /// How many parts of the file are sent side by side and then joined by the server (concatenation): 1 unless changed, from 1 to 16.
    ///
    /// A part has 1 MiB at least. Where the server does not offer the extension, there is one.
    public var parallelism = 1 {
        didSet { self.parallelism = min(max(self.parallelism, 1), Self.largestParallelism) }
    }

    /// Whether the request that creates the upload carries the first piece, where the server offers that (creation-with-upload): true unless
    /// changed.
    public var createsWithContent = true

    /// Creates options.
    ///
    /// - Parameters:
    ///   - metadata: What the server is told about the file.
    ///   - parallelism: How many parts of the file are sent side by side.
    public init(metadata: [String: String] = [:], parallelism: Int = 1) {
        self.metadata = metadata
        self.parallelism = min(max(parallelism, 1), Self.largestParallelism)
    }
}
