// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension Call {
    /// The time limit for the rest of an unwanted body.
    private static let discardingTime = Duration.seconds(1)

    /// Drops the rest of a body if it arrives soon, so that its connection can be reused; abandons it otherwise.
    ///
    /// The limits are those of ``Session/Limits/discardedByteCount``.
    ///
    /// - Parameter body: The body of a response that another request follows.
    func discard(_ body: ResponseBody) async {
        guard body.collectedBytes == nil else { return }
        let limit = self.environment.limits.discardedByteCount
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await body.discard(upTo: limit) }
            // Cancelled when the body has ended.
            group.addTask { try? await self.clock.sleep(for: Self.discardingTime) }
            await group.next()
            // Does nothing to a body that has been read.
            body.abandon()
            group.cancelAll()
        }
    }
}
