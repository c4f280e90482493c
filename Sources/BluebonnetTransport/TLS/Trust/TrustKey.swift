// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The part of a ``PoolKey`` for an evaluator; two are equal if both evaluators accept the same servers.
struct TrustKey: Hashable, Sendable {
    let evaluator: any TrustEvaluator
    private let identity: TrustIdentity
    private let mode: TrustMode

    init(_ evaluator: any TrustEvaluator) {
        self.evaluator = evaluator
        self.identity = evaluator.identity
        self.mode = evaluator.mode
    }

    static func == (left: TrustKey, right: TrustKey) -> Bool {
        left.identity == right.identity && left.mode == right.mode
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(self.identity)
        hasher.combine(self.mode)
    }
}
