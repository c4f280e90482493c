// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import FoundationEssentials

/// The output of a curl command besides the body: `--write-out`, `--dump-header` and `--verbose`.
struct CurlReport: Sendable {
    /// The format of `--write-out`.
    var format: CurlWriteOut?

    /// The file of `--dump-header`; “-” for standard output.
    var headFile: String?

    /// Whether the heads are shown on standard error.
    var tracesHeads = false

    /// The value of `--referer`, empty for none, where a field of `--header` is sent in its place.
    var referer: String?

    /// Starts to observe a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan, whose session gets observers.
    ///   - console: Where the heads are shown.
    /// - Returns: The report in progress; nil if none was asked for.
    /// - Throws: `CommandFailure` if the file cannot be written.
    func begin(_ plan: inout RequestPlan, _ console: Console) throws(CommandFailure) -> Run? {
        if self.tracesHeads {
            let trace = CurlTrace(errors: console.errors)
            plan.adjustments.append { $0.observers.append(trace) }
        }
        guard self.format != nil || self.headFile != nil else { return nil }
        // What a server has written commands a terminal, unless it is escaped.
        var style = OutputStyle.plain
        if self.headFile == "-", console.output.isTerminal {
            style = plan.style
            style.isEscaped = true
        }
        let run = Run(
            format: self.format,
            printsHeads: self.headFile == "-",
            // Opened before the request, so that nothing is sent if the file cannot be written.
            file: try self.headFile.flatMap { (path) throws(CommandFailure) in
                path == "-" ? nil : try FileSink(path: path, option: "--dump-header")
            },
            url: plan.request.url.absoluteString,
            course: CurlCourse(style: style, referer: self.referer)
        )
        plan.adjustments.append { [course = run.course] in $0.observers.append(course) }
        return run
    }

    /// A report in progress.
    struct Run: Sendable {
        fileprivate var format: CurlWriteOut?
        fileprivate var printsHeads: Bool
        fileprivate var file: FileSink?
        fileprivate var url: String
        fileprivate let course: CurlCourse

        /// Writes the report at the end of the command.
        ///
        /// - Parameters:
        ///   - failure: The failure of the command, if any.
        ///   - console: The destination of the report.
        /// - Throws: `CommandFailure` if the report cannot be written.
        func write(_ failure: CommandFailure?, to console: Console) throws(CommandFailure) {
            let facts = self.course.facts
            if self.printsHeads { try console.output.write(bytes: facts.heads) }
            if let file {
                try file.write(bytes: facts.heads)
                _ = try file.commit()
            }
            try self.format?.write(facts, url: self.url, failure, to: console)
        }
    }
}
