// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension DownloadCommandOptions {
    /// The output file; nil for standard output, which is also “-”.
    var file: String? { self.output == "-" ? nil : self.output }

    /// Whether the response's body is saved in a file.
    var isDownload: Bool { self.download && self.output != "-" }
}

extension OutputOptions {
    /// Returns the parts of the messages that are printed.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether standard output is a terminal.
    ///   - download: The options for the destination of the output.
    /// - Returns: The parts.
    /// - Throws: `CommandFailure` if options contradict each other.
    func parts(isTerminal: Bool, _ download: DownloadCommandOptions) throws(CommandFailure) -> PrintParts {
        if self.offline, download.download || self.checkStatus {
            throw .usage("--offline has no response: leave out --download and --check-status")
        }
        if let print {
            let parts = try PrintParts.parse(print)
            if self.offline, parts.isDisjoint(with: .request) {
                throw .usage("--offline has no response to print: use --print with H or B, or leave it out")
            }
            return parts
        }
        if self.offline {
            if self.headers || self.body || self.meta {
                throw .usage("--offline has no response to print: leave out --headers, --body and --meta")
            }
            return .request
        }
        if self.verbose > 1 { return [.request, .response, .timing] }
        if self.verbose > 0 { return [.request, .response] }
        if self.headers { return .responseHead }
        if self.body { return .responseBody }
        if self.meta { return .timing }
        // A pipe or a file gets only the body, which is what another program needs.
        return isTerminal && (download.file == nil || download.isDownload) ? .response : .responseBody
    }
}
