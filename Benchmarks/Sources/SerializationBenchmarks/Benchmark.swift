// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport

/// One piece of work, done by the library and by its peers.
struct Benchmark {
    /// Who does the work, and how.
    struct Run {
        var name: String
        var body: () throws -> Void

        init(_ name: String, _ body: @escaping () throws -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// The seconds that one run took, in the best round and in the middle one.
    struct Figures {
        var best: Double
        var median: Double
    }

    var name: String
    /// The bytes that one run reads or writes; 0 where a rate in bytes means nothing.
    var byteCount: Int
    /// The library first.
    var runs: [Run]

    init(_ name: String, bytes byteCount: Int = 0, _ runs: Run...) {
        self.name = name
        self.byteCount = byteCount
        self.runs = runs
    }

    /// How long each run is measured in all, in seconds.
    private static let duration = 1.5
    /// How long one round of a run takes at least, in seconds.
    private static let roundDuration = 0.03

    /// Measures the runs in turns, so that a slow moment of the machine hits all of them.
    func measure() throws -> [Figures] {
        var counts: [Int] = []
        for run in self.runs { counts.append(try Self.repetitions(of: run)) }
        var seconds = self.runs.map { _ in [Double]() }
        let start = Usage.clockSeconds()
        while seconds[0].count < 5 || Usage.clockSeconds() - start < Self.duration * Double(self.runs.count) {
            for (index, run) in self.runs.enumerated() {
                seconds[index].append(try Self.time(run, count: counts[index]) / Double(counts[index]))
            }
        }
        return seconds.map { rounds in
            let sorted = rounds.sorted()
            return Figures(best: sorted[0], median: sorted[sorted.count / 2])
        }
    }

    private static func repetitions(of run: Run) throws -> Int {
        var count = 1
        while try Self.time(run, count: count) < Self.roundDuration { count *= 2 }
        return count
    }

    private static func time(_ run: Run, count: Int) throws -> Double {
        let start = Usage.clockSeconds()
        for _ in 0..<count { try run.body() }
        return Usage.clockSeconds() - start
    }
}

/// Keeps a value alive, so that the work that made it is not optimised away.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
