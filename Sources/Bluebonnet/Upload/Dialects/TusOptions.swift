// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The options of tus in addition to those of every ``ResumableUpload``.
public struct TusOptions: Sendable, Hashable {
    /// The largest number of partial uploads of one file: 16.
    public static let largestParallelism = 16

    /// The metadata of the file for the server, in `Upload-Metadata`.
    ///
    /// `filename` (the file's name) and `filetype` (`application/octet-stream`) are added if they are not given. Keys
    /// are visible ASCII without commas; others fail with ``SessionError/Code/invalidRequest``.
    public var metadata: [String: String]

    /// The number of parts of the file that are sent in parallel and then joined by the server (concatenation): 1
    /// unless changed, from 1 to 16.
    ///
    /// A part has at least 1 MiB. If the server does not support the extension, there is one part.
    public var parallelism = 1 {
        didSet { self.parallelism = min(max(self.parallelism, 1), Self.largestParallelism) }
    }

    /// Whether the request that creates the upload carries the first piece, if the server supports that
    /// (creation-with-upload): true unless changed.
    ///
    /// It saves a request. But a file that fits into it is sent once more if the process is killed before the response,
    /// because the URL of the upload is not known then. A ``TransferQueue`` therefore always creates uploads without
    /// content.
    public var createsWithContent = true

    /// Creates options.
    ///
    /// - Parameters:
    ///   - metadata: The metadata of the file for the server.
    ///   - parallelism: The number of parts of the file that are sent in parallel.
    public init(metadata: [String: String] = [:], parallelism: Int = 1) {
        self.metadata = metadata
        self.parallelism = min(max(parallelism, 1), Self.largestParallelism)
    }
}
