// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Measures each piece of serialization beside its peers, and prints a table in Markdown.
///
///     make bench-serialization
///     Benchmarks/.build/release/SerializationBenchmarks [--write FILE] [PART-OF-A-NAME]
@main
struct Entry {
    /// Every subject is a file of its own and a line here.
    static var benchmarks: [Benchmark] {
        get throws {
            try [Self.parameters(), Self.json(), Self.multipart()].flatMap { $0 }
        }
    }

    static func main() throws {
        Self.keepFreedMemory()
        var words = CommandLine.arguments.dropFirst()
        var path: String?
        if let option = words.firstIndex(of: "--write"), option + 1 < words.endIndex {
            path = words[option + 1]
            words.removeSubrange(option...option + 1)
        }
        let wanted = words.first
        var table = Table()
        for benchmark in try Self.benchmarks where wanted.map(benchmark.name.contains) ?? true {
            FileHandle.standardError.write(Data("\(benchmark.name)\n".utf8))
            table.add(benchmark, try benchmark.measure())
        }
        print(table.text)
        if let path { try table.write(to: path) }
    }

    /// Lets the allocator keep what is freed, as it does in a program that reads one document after another.
    ///
    /// Otherwise it gives the memory back to the kernel after every round, and page faults take up to half of the time,
    /// the library's and its peers' alike.
    private static func keepFreedMemory() {
        #if canImport(Glibc)
        for (option, value) in [(-1, 1 << 30), (-2, 64 << 20), (-3, 1 << 30)] as [(Int32, Int32)] {
            // M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD, which are macros that Swift does not see.
            _ = mallopt(option, value)
        }
        #endif
    }
}
