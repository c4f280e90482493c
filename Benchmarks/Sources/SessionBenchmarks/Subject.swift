// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Foundation
import HTTPTypes

/// One kind of call.
struct Subject: Sendable {
    var name: String
    /// Makes the call once.
    var call: @Sendable () async throws -> Void

    /// Every kind, the transport alone first.
    static var all: [Subject] {
        get throws {
            let transport = ImmediateTransport()
            let bare = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: 80), target: "/small")
            guard let url = URL(string: "http://127.0.0.1/small") else { throw CocoaError(.coderInvalidValue) }
            let request = Request(url: url)
            let session = Session(transport: transport)
            let api = try HTTPSession("http://127.0.0.1", transport: transport)
            return [
                Subject(name: "the transport alone") { _ = try await transport.exchange(bare) },
                Subject(name: "session.response(for: request)") { _ = try await session.response(for: request) },
                Subject(name: "session.send(request)") { _ = try await session.send(request) },
                Subject(name: "api.get(\"small\")") { _ = try await api.get("small") },
            ]
        }
    }
}
