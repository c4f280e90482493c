// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension OutputOptions {
    /// The file that takes the output; nil for standard output, which “-” is, too.
    var file: String? { self.output == "-" ? nil : self.output }

    /// Whether the response's body becomes a file.
    var isDownload: Bool { self.download && self.output != "-" }

    /// What is printed.
    ///
    /// - Parameter isTerminal: Whether standard output is a terminal.
    /// - Returns: The parts.
    /// - Throws: `CommandFailure` if options contradict each other.
    func parts(isTerminal: Bool) throws(CommandFailure) -> PrintParts {
        if self.offline, self.download || self.checkStatus {
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
            if self.headers || self.body {
                throw .usage("--offline has no response to print: leave out --headers and --body")
            }
            return .request
        }
        if self.verbose { return [.request, .response] }
        if self.headers { return .responseHead }
        if self.body { return .responseBody }
        // A pipe or a file gets the body only, which is what a program reads.
        return isTerminal && (self.file == nil || self.isDownload) ? .response : .responseBody
    }
}
