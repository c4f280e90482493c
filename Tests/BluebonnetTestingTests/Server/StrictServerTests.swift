// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct StrictServerTests {
    private static func run(
        scripted: Int,
        requested: Int,
        hasHandler: Bool = false,
        isStrict: Bool = true
    ) async throws {
        var configuration = TestServer.Configuration()
        configuration.isStrict = isStrict
        try await TestServer.withServer(configuration: configuration) { server in
            for _ in 0..<scripted { server.enqueue(ScriptedResponse(body: "text")) }
            if hasHandler { server.respond(to: "/status/200") { _ in ScriptedResponse(body: "text") } }
            for _ in 0..<requested {
                try await RawConnection.with(server) { connection in
                    _ = try await connection.exchange("GET", "/status/200")
                }
            }
        }
    }

    @Test(.bug(id: "F576"), arguments: [(2, 2, false), (0, 0, false), (1, 2, true)])
    func `a test whose requests and responses match passes`(
        _ scripted: Int,
        _ requested: Int,
        _ hasHandler: Bool
    ) async throws {
        try await Self.run(scripted: scripted, requested: requested, hasHandler: hasHandler)
    }

    @Test(
        .bug(id: "F576"),
        arguments: [
            (1, 2, "no response was enqueued for GET /status/200, and no handler takes it"),
            (3, 1, "2 of the enqueued responses had no request"),
        ]
    )
    func `a request without a response, and a response without a request, are failures`(
        _ scripted: Int,
        _ requested: Int,
        _ reason: String
    ) async throws {
        let error = await #expect(throws: TestServerError.self) {
            try await Self.run(scripted: scripted, requested: requested)
        }
        #expect(error?.code == (scripted < requested ? .unexpectedRequest : .unusedResponse))
        #expect(error?.reason == reason)
        try await Self.run(scripted: scripted, requested: requested, isStrict: false)
    }
}
