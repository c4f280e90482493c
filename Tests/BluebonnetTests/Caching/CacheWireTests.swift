// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import Foundation
import Testing

@testable import Bluebonnet

/// The cache over real sockets, with the fields that a server really sends.
@Suite(.timeLimit(.minutes(1))) struct CacheWireTests {
    @Test func `a stored response answers the next request of a client without its server`() async throws {
        try await TestServer.withServer { server in
            var configuration = Session.Configuration()
            configuration.cache = .memory()
            configuration.engine = .init()
            let api = try HTTPSession(server.url, configuration: configuration)
            server.enqueue(
                ScriptedResponse(status: .ok, headers: [.cacheControl: "max-age=60"], body: .text("kept for a minute"))
            )
            let first = try await api.get("cached")
            #expect(first.cacheStatus?.isStored == true, "\(String(describing: first.cacheStatus))")
            let second = try await api.session.response(for: Request(url: api.url(for: "cached")))
            #expect(second.cacheStatus?.isHit == true, "\(String(describing: second.cacheStatus)), \(first.headers)")
            #expect(second.body == first.body)
            await api.session.shutdown()
        }
    }
}
