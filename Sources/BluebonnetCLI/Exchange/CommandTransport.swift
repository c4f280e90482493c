// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes

/// Passes a request from the session to the engine, and shows it as it will be sent.
struct CommandTransport: Transport {
    /// What sends it; nil to send nothing.
    var engine: (any Transport)?

    /// The limit for connecting and for an idle server; nil for the engine's own.
    var timeLimit: TimeLimit?

    /// Whether the content of the response is decoded; a file that is saved stays encoded.
    var decodesContent = false

    /// Told of every request, before it is sent.
    var willSend: @Sendable (TransportRequest) async throws -> Void

    var trustSupport: TrustSupport { self.engine?.trustSupport ?? .supported(standing: nil) }

    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        self.timeLimit?.apply(to: &request.timeouts)
        request.decodesContent = self.decodesContent
        try await self.willSend(request)
        guard let engine else { return TransportResponse(status: .noContent) }
        return try await engine.exchange(request)
    }

    func shutdown() async {
        await self.engine?.shutdown()
    }
}
