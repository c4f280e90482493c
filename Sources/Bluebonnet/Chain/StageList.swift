// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The stages of a chain, outermost first.
///
/// A class, because every step of a chain would otherwise retain two lists.
final class StageList: Sendable {
    let interceptors: [any Interceptor]
    /// For each interceptor the same as an idle stage, if it is one: looking for the conformance costs more than a call.
    private let idleStages: [(any IdleStage)?]
    /// The place of the stage that completes header fields, if there is one.
    private let headersPlace: Int?

    init(_ interceptors: [any Interceptor]) {
        self.interceptors = interceptors
        self.idleStages = interceptors.map { $0 as? any IdleStage }
        self.headersPlace = interceptors.firstIndex { $0 is HeadersStage }
    }

    var count: Int { self.interceptors.count }

    subscript(place: Int) -> any Interceptor { self.interceptors[place] }

    func idle(_ place: Int) -> (any IdleStage)? { self.idleStages[place] }

    /// The first stage at a place or after it that has something to do for a request; ``count`` if there is none.
    func firstBusy(from place: Int, for request: Request, of call: Call) -> Int {
        let first = self.firstNotIdle(from: place, for: request, of: call)
        guard first == self.headersPlace else { return first }
        // The exchange, which is the last, completes the fields of a request that no stage above it looks at.
        let below = self.firstNotIdle(from: first + 1, for: request, of: call)
        return below == self.count - 1 ? below : first
    }

    private func firstNotIdle(from place: Int, for request: Request, of call: Call) -> Int {
        var place = place
        while place < self.count, let stage = self.idleStages[place], stage.isIdle(for: request, of: call) {
            place += 1
        }
        return place
    }

    /// The last of the idle stages in a range that acts on a response.
    func lastConcerned(in range: Range<Int>, _ response: borrowing StreamedResponse, _ request: Request) -> Int? {
        var place = range.upperBound
        while place > range.lowerBound {
            place -= 1
            if let stage = self.idleStages[place], stage.concerns(response, to: request) { return place }
        }
        return nil
    }

    /// The last of the idle stages in a range that acts on an error.
    func lastConcerned(in range: Range<Int>, _ error: any Error, _ request: Request, _ call: Call) -> Int? {
        range.last { self.idleStages[$0]?.concerns(error, of: request, in: call) ?? false }
    }
}
