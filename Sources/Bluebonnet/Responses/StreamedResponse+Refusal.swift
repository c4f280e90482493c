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
    ///   - status: The status to validate; its own by default.
    ///   - isFixed: Whether the caller cannot change this rule, so that the error advises no change of it.
    /// - Returns: The error, without the body; nil if the head is accepted.
    func refusal(
        of response: StreamedResponse,
        as status: HTTPResponse.Status? = nil,
        isFixed: Bool = false
    ) -> SessionError? {
        var head = response.response(body: Data())
        if let status { head.status = status }
        do {
            try self.validate(head: head, isFixed: isFixed)
            return nil
        } catch {
            return SessionError(error, request: response.request, isRequestSent: true)
        }
    }
}

extension StreamedResponse {
    /// Adds the body to a refusal, because it often contains the reason.
    ///
    /// - Parameters:
    ///   - refusal: Why the response is refused.
    ///   - limit: The largest body that the error carries.
    ///   - clock: The session's clock.
    /// - Returns: The refusal; without the body, if that is larger or does not arrive in five seconds.
    /// - Throws: `CancellationError` when the task is cancelled.
    func explaining(
        _ refusal: SessionError,
        upTo limit: Int,
        _ clock: SessionClock
    ) async throws -> SessionError {
        var refusal = refusal
        // An endless stream of an unexpected type is no explanation.
        let explained = await withTaskGroup(of: Response?.self) { group in
            group.addTask { try? await self.response(upTo: limit) }
            if self.body.collectedBytes == nil {
                group.addTask {
                    try? await clock.sleep(for: Self.explanationTime)
                    return nil
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        try Task.checkCancellation()
        refusal.response = explained ?? self.response(body: Data())
        return refusal
    }

    private static let explanationTime = Duration.seconds(5)
}
