// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import Foundation

/// The program that measures the cost of a session per call over an immediate transport, and prints one row of results.
///
/// `Benchmarks/session` runs it for every row in a separate process, and makes the table.
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

    /// Returns the processor time per call, in nanoseconds.
    ///
    /// The work runs outside the main actor, so that the result includes no thread switch.
    @concurrent
    private static func measure(_ subject: Subject, _ count: Int) async throws -> Double {
        // Warms up caches and branch predictors before the clock starts.
        for _ in 0..<1000 { try await subject.call() }
        let before = Usage.now()
        for _ in 0..<count { try await subject.call() }
        return (Usage.now().processor - before.processor) / Double(count) * 1e9
    }
}
