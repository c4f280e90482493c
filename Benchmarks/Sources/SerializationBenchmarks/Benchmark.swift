// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport

/// One thing to measure: a name, how many bytes one run goes through, and the run.
struct Benchmark {
    var name: String
    /// The bytes that one run reads or writes; 0 where a rate in bytes means nothing.
    var byteCount: Int
    var body: () throws -> Void

    init(_ name: String, bytes byteCount: Int = 0, _ body: @escaping () throws -> Void) {
        self.name = name
        self.byteCount = byteCount
        self.body = body
    }

    /// Runs it for about half a second in several rounds and gives the seconds of one run in the best of them.
    func measure() throws -> Double {
        try self.body()
        var count = 1
        var seconds = 0.0
        repeat {
            count *= 2
            let start = Usage.clockSeconds()
            for _ in 0..<count { try self.body() }
            seconds = Usage.clockSeconds() - start
        } while seconds < 0.05
        var best = seconds / Double(count)
        for _ in 0..<10 {
            let start = Usage.clockSeconds()
            for _ in 0..<count { try self.body() }
            best = min(best, (Usage.clockSeconds() - start) / Double(count))
        }
        return best
    }
}

/// Keeps a value alive, so that the work that made it is not optimised away.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
