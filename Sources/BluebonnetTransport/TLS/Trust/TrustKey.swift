// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An evaluator as a part of ``PoolKey``: equal to another if both accept the same servers.
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
