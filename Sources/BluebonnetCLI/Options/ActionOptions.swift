// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that do something other than send the request once.
struct ActionOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Print the request as a command or as code, and send nothing: curl, httpie or swift.",
            valueName: "form"
        )
    )
    var exportForm: ExportForm?

    @Flag(
        name: .long,
        help: "Tell on standard error what each item became, the addresses tried, the protocol, the certificates."
    )
    var explain = false

    @Flag(
        name: .long,
        help: "Read server-sent events one after the other; those of a GET go on when the connection is lost."
    )
    var sse = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Send the request so many times and print the times that 50, 90 and 99 of 100 took.",
            valueName: "count"
        )
    )
    var bench: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How many at once, 1 unless given: requests with --bench, parts of the file with --download (16 at most).",
            valueName: "count"
        )
    )
    var parallel: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Upload @FILE in pieces, and go on where it stopped when the same command is run again; the server has to speak tus, or the IETF's draft.",
            valueName: "protocol"
        )
    )
    var resumable: ResumableUploadRun.Dialect?
}

extension ActionOptions {
    /// The action of a command line.
    enum Action: Equatable, Sendable {
        case send
        case export(ExportForm)
        case readEvents
        case bench(count: Int, parallelCount: Int)
        case upload(ResumableUploadRun.Dialect)
    }

    /// Returns the action that the options select.
    ///
    /// - Parameter isDownload: Whether the response's body is saved in a file.
    /// - Returns: The action.
    /// - Throws: `CommandFailure` if options contradict each other, or a number is out of range.
    func action(isDownload: Bool) throws(CommandFailure) -> Action {
        let chosen = [self.exportForm != nil, self.sse, self.bench != nil, self.resumable != nil].count { $0 }
        guard chosen <= 1 else { throw .usage("choose one of --as, --sse, --bench and --resumable") }
        guard self.parallel == nil || self.bench != nil || isDownload else {
            throw .usage("--parallel belongs to --bench or --download: add --bench COUNT, or --download")
        }
        guard !isDownload || !self.sse && self.bench == nil else {
            throw .usage("--download saves one response: leave it out with --sse and --bench")
        }
        if let exportForm { return .export(exportForm) }
        if self.sse { return .readEvents }
        if let resumable {
            guard !isDownload else { throw .usage("--resumable sends a file: leave out --download") }
            return .upload(resumable)
        }
        guard let bench else { return .send }
        let parallelCount = self.parallel ?? 1
        guard (1...10_000_000).contains(bench), (1...10_000).contains(parallelCount) else {
            throw .usage("--bench takes a number from 1 to 10000000, and --parallel one from 1 to 10000")
        }
        return .bench(count: bench, parallelCount: parallelCount)
    }

    /// The number of parts of a file that are received at the same time.
    ///
    /// - Throws: `CommandFailure` if the number is out of range.
    var partCount: Int {
        get throws(CommandFailure) {
            let count = self.parallel ?? 1
            guard (1...16).contains(count) else {
                throw .usage("--parallel takes a number from 1 to 16 with --download")
            }
            return count
        }
    }
}
