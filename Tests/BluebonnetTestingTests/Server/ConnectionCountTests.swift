// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionCountTests {
    @Test func `counts many connections, also when they are cut at random`() async throws {
        try await TestServer.withServer { server in
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        try await RawConnection.with(server) { connection in
                            let text = "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n123456789"
                            try await connection.send(String(text.prefix(number % text.count + 1)))
                            if number % 3 == 0 { try await server.waitForConnections { $0.total > number / 2 } }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let counts = try await server.waitForConnections { $0.open == 0 && $0.total == 100 }
            #expect(counts.handshakes == 0)
            #expect(server.takeFailures().isEmpty)
        }
    }

    @Test func `waiting for connections ends with the deadline or with the task`() async throws {
        try await TestServer.withServer { server in
            let error = await #expect(throws: TestServerError.self) {
                try await server.waitForConnections(within: .milliseconds(5)) { $0.open == 1 }
            }
            #expect(error?.code == .timedOut)
            let task = Task { try await server.waitForConnections { $0.open == 1 } }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `closing its connections leaves the server at work`() async throws {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                _ = try await connection.exchange("GET", "/status/200")
                server.closeConnections()
                #expect(try await connection.receiveAll().isEmpty)
            }
            try await RawConnection.with(server) { connection in
                let response = try await connection.exchange("GET", "/status/200")
                #expect(response.status == 200)
            }
            #expect(server.totalConnections == 2)
        }
    }
}
