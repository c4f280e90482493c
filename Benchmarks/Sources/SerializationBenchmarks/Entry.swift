// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Prints how long each piece of serialization takes.
///
///     swift run -c release --package-path Benchmarks SerializationBenchmarks [PART-OF-A-NAME]
@main
struct Entry {
    /// Every subject is a file of its own and a line here.
    static var benchmarks: [Benchmark] {
        get throws {
            try [Self.parameters(), Self.multipart(), Self.json()].flatMap { $0 }
        }
    }

    static func main() throws {
        let wanted = CommandLine.arguments.dropFirst().first
        for benchmark in try Self.benchmarks where wanted.map(benchmark.name.contains) ?? true {
            let seconds = try benchmark.measure()
            let name = benchmark.name + String(repeating: " ", count: max(1, 44 - benchmark.name.count))
            let rate = benchmark.byteCount > 0 ? "\(Int(Double(benchmark.byteCount) / seconds / 1e6)) MB/s" : ""
            print("\(name)\(Self.text(seconds))   \(rate)")
        }
    }

    private static func text(_ seconds: Double) -> String {
        switch seconds {
        case ..<1e-5: "\(Int(seconds * 1e9)) ns"
        case ..<1e-3: "\(Int(seconds * 1e6)) µs"
        default: "\(Int(seconds * 1e3)) ms"
        }
    }
}
