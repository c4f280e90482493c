// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes

/// What a request looks like on its way out is shown here: after the session, before the engine.
struct CommandTransport: Transport {
    /// What sends it; nil to send nothing.
    var engine: (any Transport)?

    /// The limit for connecting, if the command line has one.
    var timeout: Duration?

    /// Whether a body that comes compressed is shown as it was before; a file that is saved stays as the server has it.
    var decodesContent = false

    /// Told of every request, before it is sent.
    var willSend: @Sendable (TransportRequest) async throws -> Void

    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        if let timeout {
            request.timeouts.resolve = timeout
            request.timeouts.connect = timeout
            request.timeouts.tlsHandshake = timeout
        }
        request.decodesContent = self.decodesContent
        try await self.willSend(request)
        guard let engine else { return TransportResponse(status: .noContent) }
        return try await engine.exchange(request)
    }

    func shutdown() async {
        await self.engine?.shutdown()
    }
}
