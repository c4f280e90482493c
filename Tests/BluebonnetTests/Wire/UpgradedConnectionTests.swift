// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// A connection that was upgraded belongs to its response until a caller takes it.
@Suite(.timeLimit(.minutes(1))) struct UpgradedConnectionTests {
    /// Runs a test with a server that switches protocols and keeps the connection open.
    private static func run(_ body: (TestServer, Session, Request) async throws -> Void) async throws {
        try await TestServer.withServer { server in
            let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"
            server.enqueue(.raw(switching, thenCloses: false))
            var configuration = Session.Configuration()
            configuration.transportOptions.allowsUpgrade = true
            let session = Session(configuration: configuration, transport: try server.makeTransport())
            // Without the fields that ask for the switch, behind which the server would not read on.
            try await body(server, session, Request(url: try Peer.url(server.url + "/chat")))
            await session.transport.shutdown()
        }
    }

    @Test(.bug(id: "F377")) func `a response that is dropped closes its connection`() async throws {
        try await Self.run { server, session, request in
            var response: StreamedResponse? = try await session.send(request)
            #expect(response?.status.code == 101)
            #expect(server.openConnections == 1)
            response = nil
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test(.bug(id: "F377")) func `a response that a validation refuses closes its connection`() async throws {
        try await Self.run { server, session, request in
            let error = await #expect(throws: SessionError.self) {
                try await HTTPSession(session: session).stream(request.url)
            }
            #expect(error?.code == .unacceptableStatus && error?.response?.status.code == 101)
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test(.bug(id: "F377")) func `a response that is collected closes its connection`() async throws {
        try await Self.run { server, session, request in
            let response = try await session.response(for: request)
            try await server.waitForConnections { $0.open == 0 }
            #expect(response.status.code == 101)
        }
    }

    @Test(.bug(id: "F377")) func `the connection that a caller has taken outlives its response`() async throws {
        try await Self.run { server, session, request in
            let channel = try #require(try await session.send(request).upgradedChannel)
            await session.transport.shutdown()
            try await channel.eventLoop.submit {}.get()
            #expect(channel.isActive && server.openConnections == 1)
            try await channel.close()
            try await server.waitForConnections { $0.open == 0 }
        }
    }
}
