// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The address policy holds on every hop.
@Suite(.timeLimit(.minutes(1))) struct RedirectAddressTests {
    @Test(arguments: ["127.0.0.2", "[::1]", "[::ffff:127.0.0.2]", "0.0.0.0", "127.2"])
    func `a redirect to an address that is refused is not followed`(_ host: String) async throws {
        try await TestServer.withServer { server in
            var configuration = Session.Configuration()
            configuration.proxy = .direct
            configuration.retries = .idempotent(attempts: 3)
            // Only the first hop is to an address that is allowed.
            configuration.addressPolicy = try .publicOnly.allowing("127.0.0.1")
            let session = Session(configuration: configuration)
            server.enqueue(
                ScriptedResponse(status: .found, headers: [.location: "http://\(host):\(server.port)/end"]),
                ScriptedResponse()
            )
            let request = try Request(parsing: server.url + "/start")
            let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(error?.code == .addressNotAllowed)
            #expect(server.enqueuedCount == 1)
            #expect(server.untakenRequestCount == 1)
            await session.shutdown()
        }
    }
}
