// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// A stage that lets most requests and their responses pass.
///
/// The chain asks it on the way down and on the way back, and calls it where it has something to do. An asynchronous function for each
/// stage costs a frame, two switches of the task's executor and copies of the request, which was a third of a call.
protocol PassingStage: Interceptor {
    /// Completes a request that may pass.
    ///
    /// It may be asked again with the same request, and has to do the same.
    ///
    /// - Parameters:
    ///   - request: The request; the stages below get what is made of it.
    ///   - call: The call that it belongs to.
    /// - Returns: Whether it may pass; ``Interceptor/intercept(_:next:)`` is called with it otherwise.
    /// - Throws: `SessionError`, for a request that cannot be sent.
    func passes(_ request: inout Request, in call: Call) throws(SessionError) -> Bool

    /// Whether a response may pass whose request did.
    func passes(_ response: StreamedResponse) -> Bool

    /// Goes on from a response that may not pass.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request as the stage got it.
    ///   - next: The rest of the chain.
    /// - Returns: The response that takes its place.
    /// - Throws: What ``Interceptor/intercept(_:next:)`` throws.
    func answer(_ response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse
}

/// The stages of a chain in their order, outermost first.
///
/// A class, because every rest of a chain holds them.
final class StageList: Sendable {
    private let stages: [any Interceptor]
    /// The same stages, nil for those that take part in every exchange.
    private let passing: [(any PassingStage)?]

    init(_ stages: [any Interceptor]) {
        self.stages = stages
        self.passing = stages.map { $0 as? any PassingStage }
    }

    var count: Int { self.stages.count }

    subscript(position: Int) -> any Interceptor { self.stages[position] }

    /// The stage at a position that is asked first; nil where none is.
    func passing(at position: Int) -> (any PassingStage)? {
        position < self.passing.count ? self.passing[position] : nil
    }

    /// The first stage of a kind.
    func first<Stage: Interceptor>(_ kind: Stage.Type) -> Stage? {
        for stage in self.stages {
            if let stage = stage as? Stage { return stage }
        }
        return nil
    }

    /// The same stages, with another one in front of that at a position.
    func inserting(_ stage: any Interceptor, at position: Int) -> StageList {
        var stages = self.stages
        stages.insert(stage, at: position)
        return StageList(stages)
    }
}
