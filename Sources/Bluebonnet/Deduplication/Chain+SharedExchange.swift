// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension Chain {
    /// Sends the request of a shared exchange, without throwing.
    ///
    /// A response under a download rate arrives as a stream, which has one reader. It is read to its end here, at its rate,
    /// so that every call can have it.
    func sharedOutcome(of request: Request) async -> Result<StreamedResponse, any Error> {
        let outcome = await self.outcome(of: request)
        guard let limit = self.call.handling.pacedByteCount, case .success(let response) = outcome,
            response.isCollected(holding: self.call.handling.heldByteCount ?? 0)
        else { return outcome }
        return await self.collected(response, limit)
    }

    private func collected(_ response: StreamedResponse, _ limit: Int) async -> Result<StreamedResponse, any Error> {
        let body = response.body
        self.call.activity = .exchange
        defer { self.call.activity = .chain }
        do {
            let bytes = try await body.collect(upTo: limit)
            var whole = response
            whole.body = ResponseBody(bytes, trailers: body.trailers)
            if let metrics = body.metrics { whole.metrics = metrics }
            return .success(whole)
        } catch {
            body.abandon()
            return .failure(response.bodyFailure(self.call.wrapping(error, of: response.request)))
        }
    }
}

extension StreamedResponse {
    /// Whether the transport would have collected the response, had it been asked to.
    ///
    /// What a stage may act on before its body is wanted stays a stream if the body is large, or of unknown length: the
    /// body of such a response must not be waited for.
    ///
    /// - Parameter byteCount: The largest body of such a response that is collected.
    /// - Returns: Whether it is to be read to its end before any call gets it.
    fileprivate func isCollected(holding byteCount: Int) -> Bool {
        guard self.body.collectedBytes == nil, !self.isUpgraded else { return false }
        guard self.status.isActedOn else { return true }
        guard !self.status.isAnswered(with: self.headers), let length = self.body.expectedLength else { return false }
        return length <= Int64(byteCount)
    }
}
