// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

extension ResponseValidation {
    /// Why the head of a response is refused.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - status: The status to judge it by; its own unless given.
    /// - Returns: The error, without the body; nil if the head is accepted.
    func refusal(of response: StreamedResponse, as status: HTTPResponse.Status? = nil) -> SessionError? {
        var head = response.response(body: Data())
        if let status { head.status = status }
        do {
            try self.validate(head: head)
            return nil
        } catch {
            return SessionError(error, request: response.request, isRequestSent: true)
        }
    }
}

extension StreamedResponse {
    /// A refusal with the body, which often says what is wrong.
    ///
    /// - Parameters:
    ///   - refusal: Why the response is refused.
    ///   - limit: The largest body that the error carries.
    /// - Returns: The refusal; without the body, if that is larger or does not arrive.
    /// - Throws: `CancellationError` when the task is cancelled.
    func explaining(_ refusal: SessionError, upTo limit: Int) async throws -> SessionError {
        var refusal = refusal
        do {
            refusal.response = try await self.response(upTo: limit)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The explanation is too long or did not arrive: the refusal stands without it.
            refusal.response = self.response(body: Data())
        }
        return refusal
    }
}
