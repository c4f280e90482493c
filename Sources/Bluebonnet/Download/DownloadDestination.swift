// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

/// Where the file of a download goes.
public enum DownloadDestination: Sendable {
    /// To this file URL.
    case file(URL)

    /// To the file URL that a function returns once the head of the response has arrived and was accepted.
    ///
    /// The function is given a file URL of a new name in the system's directory for temporary files, which it may return, and the response
    /// without its body. It is called at most once, and never with a response that is refused. What it throws ends the download.
    case decided(@Sendable (_ temporary: URL, _ response: Response) throws -> URL)
}
