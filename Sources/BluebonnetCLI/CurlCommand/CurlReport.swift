// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import FoundationEssentials

/// What a command of curl writes besides the body: `--write-out` and `--dump-header`.
struct CurlReport: Sendable {
    /// The format of `--write-out`.
    var format: CurlWriteOut?

    /// The file of `--dump-header`; “-” for standard output.
    var headFile: String?

    /// Follows a plan from its beginning.
    ///
    /// - Parameter plan: The plan, whose session is observed.
    /// - Returns: What writes at the end; nil if nothing was asked for.
    /// - Throws: `CommandFailure` for a file that cannot be written.
    func begin(_ plan: inout RequestPlan) throws(CommandFailure) -> Run? {
        guard self.format != nil || self.headFile != nil else { return nil }
        let run = Run(
            format: self.format,
            printsHeads: self.headFile == "-",
            // Before anything is sent, so that a file that cannot be written keeps it from being sent.
            file: try self.headFile.flatMap { (path) throws(CommandFailure) in
                path == "-" ? nil : try FileSink(path: path)
            },
            url: plan.request.url.absoluteString
        )
        plan.adjustments.append { [course = run.course] in $0.observers.append(course) }
        return run
    }

    /// A report under way.
    struct Run: Sendable {
        fileprivate var format: CurlWriteOut?
        fileprivate var printsHeads: Bool
        fileprivate var file: FileSink?
        fileprivate var url: String
        fileprivate let course = CurlCourse()

        /// Writes what is known at the end.
        ///
        /// - Parameters:
        ///   - failure: What the command failed with.
        ///   - console: Where it is written.
        /// - Throws: `CommandFailure` if it cannot be written.
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
