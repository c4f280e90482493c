// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import Foundation

/// Measures what the session adds to a call, over a transport that answers at once, and prints one row of figures.
///
/// `Benchmarks/session` runs it for every row, each in a process of its own, and makes the table.
///
///     SessionBenchmarks list
///     SessionBenchmarks ROW COUNT
@main
struct Entry {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        let subjects = try Subject.all
        guard let name = words.first, name != "list" else {
            return print(subjects.map(\.name).joined(separator: "\n"))
        }
        guard let subject = subjects.first(where: { $0.name == name }),
            let count = words.dropFirst().first.flatMap(Int.init)
        else {
            FileHandle.standardError.write(Data("SessionBenchmarks: no such row, or no number of calls\n".utf8))
            exit(1)
        }
        print(try await Self.measure(subject, count))
    }

    /// The processor time of one call, in nanoseconds.
    ///
    /// The work leaves the main actor, so that no change of thread is part of the figure.
    @concurrent
    private static func measure(_ subject: Subject, _ count: Int) async throws -> Double {
        // Caches and branch predictors are warm before the clock starts.
        for _ in 0..<1000 { try await subject.call() }
        let before = Usage.now()
        for _ in 0..<count { try await subject.call() }
        return (Usage.now().processor - before.processor) / Double(count) * 1e9
    }
}
