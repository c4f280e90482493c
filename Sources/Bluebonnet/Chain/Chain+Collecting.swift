// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

extension Chain {
    /// Reads the body of a response that has arrived as a stream although the call wants the whole of it.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of an exchange.
    ///   - limit: The largest number of bytes to accept.
    /// - Returns: The response with its whole body, or the failure of that; other outcomes unchanged.
    func collected(
        _ outcome: Result<StreamedResponse, any Error>,
        upTo limit: Int
    ) async -> Result<StreamedResponse, any Error> {
        guard case .success(let response) = outcome,
            response.isCollected(holding: self.call.handling.heldByteCount ?? 0)
        else { return outcome }
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

extension Request {
    /// Whether its response has to arrive as a stream, even if the call wants the whole of it: because of its own rate, or
    /// because the beginning of the response decides between two attempts.
    var arrivesInPieces: Bool {
        guard !self.context.isEmpty else { return false }
        return self.rateLimit?.download != nil || self.context[HedgingMark.self] != nil
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
