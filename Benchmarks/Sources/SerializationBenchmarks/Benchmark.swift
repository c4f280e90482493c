// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport

/// One piece of work, done by the library and by its peers.
struct Benchmark {
    /// Who does the work, and how.
    struct Run {
        var name: String
        /// Makes what the work needs, and gives the work.
        var prepare: () throws -> () throws -> Void

        init(_ name: String, _ prepare: @escaping () throws -> () throws -> Void) {
            self.name = name
            self.prepare = prepare
        }

        /// Does the work again and again for half a second.
        ///
        /// - Returns: The seconds it took once, in each of some rounds.
        func measure() throws -> [Double] {
            let body = try self.prepare()
            func time(_ count: Int) throws -> Double {
                let start = Usage.clockSeconds()
                for _ in 0..<count { try body() }
                return Usage.clockSeconds() - start
            }
            var count = 1
            while try time(count) < 0.02 { count *= 2 }
            var rounds: [Double] = []
            let end = Usage.clockSeconds() + 0.5
            while rounds.count < 3 || Usage.clockSeconds() < end { rounds.append(try time(count) / Double(count)) }
            return rounds
        }
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
}

/// The seconds that some work took, in the best round and in the middle one.
struct Figures {
    var best: Double
    var median: Double

    init(_ rounds: [Double]) {
        let sorted = rounds.sorted()
        self.best = sorted.first ?? .nan
        self.median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}

/// Keeps a value alive, so that the work that made it is not optimised away.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
