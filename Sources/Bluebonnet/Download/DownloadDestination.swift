// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

/// The destination of a download's file.
public enum DownloadDestination: Sendable {
    /// This file URL.
    case file(URL)

    /// The file URL that a function returns once the head of the response has arrived and was accepted.
    ///
    /// The function is given the response without its body, and a file URL with a new name in the system's directory
    /// for temporary files, which it may return. It is called at most once, and never for a refused response. An error
    /// that it throws ends the download.
    case decided(@Sendable (_ temporary: URL, _ response: Response) throws -> URL)
}
