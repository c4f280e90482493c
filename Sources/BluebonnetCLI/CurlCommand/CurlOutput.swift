// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Where a command of curl writes the body.
struct CurlOutput: Sendable {
    /// The file of `--output`.
    var file: String?

    /// Whether the file has the name in the URL: `--remote-name`.
    var usesNameOfURL = false

    /// Whether a name that the server gives goes before: `--remote-header-name`.
    var usesNameOfServer = false

    /// Whether an earlier download goes on: `--continue-at -`.
    var continues = false

    /// Whether no progress is shown: `--silent`.
    var isSilent = false

    /// Whether the body goes into a file.
    var isFile: Bool { self.file == nil ? self.usesNameOfURL : self.file != "-" }

    /// What it is here.
    ///
    /// - Parameter url: The URL of the command.
    /// - Returns: The options.
    /// - Throws: `CommandFailure` where there is no name for the file.
    func words(for url: CurlURL) throws(CommandFailure) -> [String] {
        if let file {
            // Nothing on standard output can be continued; curl begins there, too.
            let continues = self.continues && file != "-"
            return continues ? self.downloading(to: file) : ["--output=\(file)"]
        }
        guard self.usesNameOfURL else { return [] }
        if self.usesNameOfServer {
            guard !self.continues else {
                throw .usage("curl's --continue-at needs a name that is known before: leave --remote-header-name out")
            }
            return ["--download"] + self.quiet
        }
        guard let name = url.nameOfFile else {
            throw .usage("the URL of curl's --remote-name does not end in the name of a file: write -o FILE")
        }
        return self.downloading(to: name == "-" ? "./-" : name)
    }

    private func downloading(to file: String) -> [String] {
        ["--download", "--output=\(file)"] + (self.continues ? ["--continue"] : []) + self.quiet
    }

    private var quiet: [String] { self.isSilent ? ["--quiet"] : [] }
}
