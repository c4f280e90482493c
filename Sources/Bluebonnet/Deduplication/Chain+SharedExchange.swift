// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

extension Chain {
    /// Sends the request of a shared exchange, without throwing.
    ///
    /// A response under a download rate arrives as a stream, which has one reader. It is read to its end here, at its rate,
    /// so that every call can have it. That a call may hedge concerns none of the others.
    func sharedOutcome(of request: Request) async -> Result<StreamedResponse, any Error> {
        let request = request.unhedged
        let outcome = await self.outcome(of: request)
        guard self.call.handling.pacedByteCount != nil || request.arrivesInPieces,
            let limit = self.call.handling.collectedByteCount
        else { return outcome }
        return await self.collected(outcome, upTo: limit)
    }
}
