// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension TransportRequest {
    /// Makes the response of a transport without a server, until the earliest of some time limits at the latest.
    ///
    /// - Parameters:
    ///   - phases: The phases whose limits apply.
    ///   - work: Makes the response, in a child task that is cancelled at the limit if there is one.
    /// - Returns: The response.
    /// - Throws: `TransportError.Code.timedOut` at the limit; what the work throws.
    func within(
        limitsOf phases: [ExchangePhase],
        _ work: @escaping @Sendable () async throws -> TransportResponse
    ) async throws -> TransportResponse {
        let limits = phases.compactMap { phase in self.timeouts[phase].map { (phase: phase, limit: $0) } }
        guard let (phase, limit) = limits.min(by: { $0.limit < $1.limit }) else { return try await work() }
        return try await withThrowingTaskGroup(of: TransportResponse?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            // A group of two tasks always has a first result.
            guard let response = try await group.next() ?? nil else { throw Self.timedOut(phase, limit) }
            return response
        }
    }

    private static func timedOut(_ phase: ExchangePhase, _ limit: Duration) -> TransportError {
        TransportError(
            .timedOut,
            phase: phase,
            reason: "there was no response within \(limit)",
            isRequestSent: true
        )
    }
}
