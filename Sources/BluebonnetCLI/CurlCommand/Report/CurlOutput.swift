// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// The destination of a curl command's body.
struct CurlOutput: Sendable {
    /// The file of `--output`.
    var file: String?

    /// The folder of the file: `--output-dir`.
    var folder: String?

    /// Whether the file is named after the URL: `--remote-name`.
    var usesNameOfURL = false

    /// Whether a name from Content-Disposition takes precedence: `--remote-header-name`.
    var usesNameOfServer = false

    /// Whether an earlier download is resumed: `--continue-at -`.
    var continues = false

    /// Whether the heads of the responses are written before the body: `--include`, and `--dump-header` with “-”.
    var includesHeads = false

    /// Whether there are only heads: `--head`.
    var isHeadOnly = false

    /// Whether the content is saved as it is without its coding: `--compressed`.
    var isDecoded = false

    /// Whether the body is saved as it comes, under a name of the server's, or behind what an earlier download has saved.
    var isDownload: Bool {
        self.isFile && !self.isHeadOnly && (self.continues || self.file == nil && self.usesNameOfServer)
    }

    /// Whether the body is written to a file.
    var isFile: Bool { self.file == nil ? self.usesNameOfURL : self.file != "-" }

    /// Returns the corresponding options of `bluebonnet`.
    ///
    /// - Parameter url: The URL of the command.
    /// - Returns: The options.
    /// - Throws: `CommandFailure` if there is no name for the file.
    func words(for url: CurlURL) throws(CommandFailure) -> [String] {
        let parts = self.isHeadOnly ? ["--headers"] : self.includesHeads ? ["--print=hb"] : ["--body"]
        return try parts + self.destination(for: url)
    }

    private func destination(for url: CurlURL) throws(CommandFailure) -> [String] {
        if let file = self.file.map(self.inFolder) {
            // Output to standard output cannot be resumed; curl also starts from the beginning.
            let continues = self.continues && file != "-"
            return continues ? self.saving(to: file) : ["--output=\(file)"]
        }
        guard self.usesNameOfURL else { return [] }
        if self.usesNameOfServer {
            guard !self.isHeadOnly else {
                throw .usage("--head and --remote-header-name exclude each other, as in curl: leave one of them out")
            }
            guard self.folder == nil else {
                throw .usage(
                    "curl's --output-dir with a name of the server's has no counterpart here: change the folder before"
                )
            }
            guard !self.continues else {
                throw .usage("curl's --continue-at needs a name that is known before: leave --remote-header-name out")
            }
            return ["--download"]
        }
        guard let name = url.nameOfFile else {
            throw .usage("the URL of curl's --remote-name does not end in the name of a file: write -o FILE")
        }
        return self.saving(to: name == "-" ? LiteralPath.text((self.folder ?? ".") + "/-") : self.inFolder(name))
    }

    /// The path of a file; “~” is a name as any other, since curl leaves its expansion to the shell.
    private func inFolder(_ file: String) -> String {
        file == "-" ? file : LiteralPath.text(self.folder.map { "\($0)/\(file)" } ?? file)
    }

    private func saving(to file: String) -> [String] {
        // The file begins with the heads, as in curl, unless it is one that can be resumed: that holds the body alone.
        let isDownload = !self.isHeadOnly && (self.continues || !(self.includesHeads || self.isDecoded))
        guard isDownload else { return ["--output=\(file)"] }
        return ["--download", "--output=\(file)"] + (self.continues ? ["--continue"] : [])
    }
}
