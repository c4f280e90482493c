// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A comparison of two peers that take turns in one process, for differences smaller than those between two processes.
///
/// Each turn takes a few milliseconds, so that a slow moment of the machine affects both. The peer that begins
/// alternates with each pair.
public enum Pairs {
    private static let requestsPerTurn = 512

    /// Measures the processor time of small requests, and prints one line of JSON: both medians in microseconds, and
    /// the median of the ratios of all pairs with its 95 % confidence interval.
    ///
    /// - Parameters:
    ///   - peers: The peers; the ratio is that of the second peer to the first.
    ///   - url: The URL that both request.
    ///   - width: The number of concurrent requests.
    ///   - count: The number of pairs.
    /// - Throws: The error of a peer.
    public static func run<First: Peer, Second: Peer>(
        _ peers: (First, Second),
        _ url: String,
        width: Int,
        count: Int
    ) async throws {
        var costs: (first: [Double], second: [Double]) = ([], [])
        // The first pairs warm up connections, caches and branch predictors.
        let warming = max(4, count / 20)
        for number in 0..<(count + warming) {
            let (first, second): (Double, Double)
            if number.isMultiple(of: 2) {
                first = try await Self.turn(peers.0, url, width)
                second = try await Self.turn(peers.1, url, width)
            } else {
                second = try await Self.turn(peers.1, url, width)
                first = try await Self.turn(peers.0, url, width)
            }
            guard number >= warming else { continue }
            costs.first.append(first)
            costs.second.append(second)
        }
        let ratios = zip(costs.first, costs.second).map { $1 / $0 }.sorted()
        // The ranks that enclose the median with a probability of 95 % (normal approximation of the binomial).
        let margin = 0.98 * Double(count).squareRoot()
        let low = ratios[max(0, Int(Double(count) / 2 - margin))]
        let high = ratios[min(count - 1, Int((Double(count) / 2 + margin).rounded(.up)))]
        print(
            """
            {"first": \(Self.median(costs.first)), "second": \(Self.median(costs.second)), \
            "ratio": \(Self.median(ratios)), "low": \(low), "high": \(high)}
            """
        )
    }

    /// Returns the processor time per request, in microseconds.
    private static func turn(_ peer: some Peer, _ url: String, _ width: Int) async throws -> Double {
        let before = Usage.now().processor
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<width {
                group.addTask {
                    for _ in stride(from: index, to: Self.requestsPerTurn, by: width) {
                        _ = try await peer.get(url, closes: false)
                    }
                }
            }
            try await group.waitForAll()
        }
        return (Usage.now().processor - before) / Double(Self.requestsPerTurn) * 1e6
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
