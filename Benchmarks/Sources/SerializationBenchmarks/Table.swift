// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The results of the benchmarks, as a section in Markdown.
struct Table {
    private var rows: [String] = []

    /// The heading of the section.
    static let heading = "## Serialization"

    /// Adds a row for each run of a benchmark.
    mutating func add(_ benchmark: Benchmark, _ figures: [Figures]) {
        for (index, (run, figures)) in zip(benchmark.runs, figures).enumerated() {
            let work = index == 0 ? benchmark.name : ""
            let rate =
                benchmark.byteCount == 0
                ? ("", "") : (Self.rate(benchmark, figures.best), Self.rate(benchmark, figures.median))
            self.rows.append(
                "| \(work) | \(run.name) | \(Self.time(figures.best)) | \(Self.time(figures.median)) | \(rate.0) | \(rate.1) |"
            )
        }
    }

    /// The complete section.
    var text: String {
        let date = ISO8601DateFormatter.string(from: Date(), timeZone: .gmt, formatOptions: .withFullDate)
        return """
            \(Self.heading)

            Measured with `make bench-serialization`: what the library does and what its peers do, in turns and each in a process of
            its own. The figures are the best round and the middle one; where bytes are counted, also as a rate. What is freed
            stays with the process (`mallopt`), as in a program that goes on working; values are made and released within the time.

            \(date), \(Self.machine).

            | work | by | best | median | MB/s, best | MB/s, median |
            |---|---|---:|---:|---:|---:|
            \(self.rows.joined(separator: "\n"))

            """
    }

    /// Writes the section into a document, replacing an earlier one, or at the end.
    func write(to path: String) throws {
        let url = URL(filePath: path)
        let document = try String(contentsOf: url, encoding: .utf8)
        let parts = document.components(separatedBy: "\n\(Self.heading)\n")
        // The sections after it are preserved.
        let rest =
            parts.dropFirst().first.flatMap { text in text.range(of: "\n## ").map { text[$0.lowerBound...] } } ?? ""
        let head = parts[0]
        let page = "\(head.hasSuffix("\n") ? head : head + "\n")\n\(self.text)\(rest)"
        try Data(page.utf8).write(to: url, options: .atomic)
    }

    private static func rate(_ benchmark: Benchmark, _ seconds: Double) -> String {
        Self.grouped(Double(benchmark.byteCount) / seconds / 1e6)
    }

    private static func time(_ seconds: Double) -> String {
        switch seconds {
        case ..<1e-5: "\(Self.grouped(seconds * 1e9)) ns"
        case ..<1e-2: "\(Self.grouped(seconds * 1e6)) µs"
        default: "\(Self.grouped(seconds * 1e3)) ms"
        }
    }

    /// Returns a whole number with commas between the thousands.
    private static func grouped(_ value: Double) -> String {
        var digits = Array(String(Int(value.rounded())))
        for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: position) }
        return String(digits)
    }

    private static var machine: String {
        let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n")
            .first { $0.hasPrefix("model name") }?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        let count = ProcessInfo.processInfo.processorCount
        return
            "\(count) cores (\(cpu ?? "of an unknown kind")), \(ProcessInfo.processInfo.operatingSystemVersionString)"
    }
}
