// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CMalloc
import Foundation

/// The program that measures serialization by the library and its peers, and prints a table in Markdown.
///
///     make bench-serialization
///     Benchmarks/.build/release/SerializationBenchmarks [--write FILE] [PART-OF-A-NAME]
@main
struct Entry {
    /// The benchmarks, each of which is defined in its own file.
    static var benchmarks: [Benchmark] {
        get throws {
            try [Self.parameters(), Self.json(), Self.multipart()].flatMap { $0 }
        }
    }

    /// The number of processes in which each run is measured.
    private static let turns = 5

    static func main() throws {
        var words = CommandLine.arguments.dropFirst()
        let benchmarks = try Self.benchmarks
        if words.first == "--measure", let benchmark = words.dropFirst().first.flatMap(Int.init),
            let run = words.dropFirst(2).first.flatMap(Int.init)
        {
            Self.keepFreedMemory()
            let rounds = try benchmarks[benchmark].runs[run].measure()
            return print(rounds.map(\.description).joined(separator: " "))
        }
        var path: String?
        if let option = words.firstIndex(of: "--write"), option + 1 < words.endIndex {
            path = words[option + 1]
            words.removeSubrange(option...option + 1)
        }
        let wanted = words.first
        var table = Table()
        for (number, benchmark) in benchmarks.enumerated() where wanted.map(benchmark.name.contains) ?? true {
            FileHandle.standardError.write(Data("\(benchmark.name)\n".utf8))
            table.add(benchmark, try Self.measure(benchmark, number).map(Figures.init))
        }
        print(table.text)
        if let path { try table.write(to: path) }
    }

    /// Measures the runs in turns, so that a slow moment of the machine affects all of them, and each time in a new
    /// process, so that no run is affected by the memory state of another one.
    private static func measure(_ benchmark: Benchmark, _ number: Int) throws -> [[Double]] {
        var rounds = benchmark.runs.map { _ in [Double]() }
        for _ in 0..<Self.turns {
            for run in benchmark.runs.indices {
                let child = Process()
                child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
                child.arguments = ["--measure", String(number), String(run)]
                let output = Pipe()
                child.standardOutput = output
                try child.run()
                let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
                child.waitUntilExit()
                rounds[run] += text.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
            }
        }
        return rounds
    }

    /// Configures the allocator to keep freed memory, as in a program that reads one document after another.
    ///
    /// Otherwise it returns memory to the kernel after every round, and page faults take up to half of the time of the
    /// library and of its peers.
    private static func keepFreedMemory() {
        #if os(Linux)
        for (option, value) in [(M_TRIM_THRESHOLD, 1 << 30), (M_TOP_PAD, 64 << 20), (M_MMAP_THRESHOLD, 32 << 20)] {
            _ = mallopt(option, Int32(value))
        }
        #endif
    }
}
