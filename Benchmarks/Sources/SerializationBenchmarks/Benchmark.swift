// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport

/// A piece of work that the library and its peers perform.
struct Benchmark {
    /// The implementation of the work by the library or a peer.
    struct Run {
        var name: String
        /// Prepares the input, and returns the work.
        var prepare: () throws -> () throws -> Void

        init(_ name: String, _ prepare: @escaping () throws -> () throws -> Void) {
            self.name = name
            self.prepare = prepare
        }

        /// Repeats the work for half a second.
        ///
        /// - Returns: The seconds per repetition, in each of several rounds.
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
    /// The number of bytes that one run reads or writes; 0 if a rate in bytes makes no sense.
    var byteCount: Int
    /// The implementations; that of the library is the first.
    var runs: [Run]

    init(_ name: String, bytes byteCount: Int = 0, _ runs: Run...) {
        self.name = name
        self.byteCount = byteCount
        self.runs = runs
    }
}

/// The duration of a piece of work in seconds: the best round and the median.
struct Figures {
    var best: Double
    var median: Double

    init(_ rounds: [Double]) {
        let sorted = rounds.sorted()
        self.best = sorted.first ?? .nan
        self.median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}

/// Keeps a value alive, so that the work that produced it is not optimised away.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
