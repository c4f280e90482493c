// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import HTTPTypes
import Synchronization
import Testing

@testable import api_client

/// `Examples/api-client` against a service that wants tokens.
@Suite(.timeLimit(.minutes(1))) struct APIClientTests {
    /// A service with three notes on two pages, which takes the last token that it has given.
    private static func withService(
        _ body: (NotesAPI, _ server: TestServer, _ refreshes: @escaping @Sendable () -> Int) async throws -> Void
    ) async throws {
        try await TestServer.withServer { server in
            let refreshes = Mutex(0)
            server.respond(to: "/token") { request in
                guard request.bodyText.contains("refresh_token=first"), request.bodyText.contains("client_id=garden")
                else {
                    return .json(#"{"error":"invalid_grant"}"#, status: .badRequest)
                }
                let count = refreshes.withLock { count in
                    count += 1
                    return count
                }
                return .json(#"{"access_token":"token\#(count)","token_type":"Bearer","expires_in":3600}"#)
            }
            server.respond { request in
                guard request.headers[.authorization] == "Bearer token\(refreshes.withLock { $0 })" else {
                    return ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer"])
                }
                switch (request.method, request.target) {
                case (.get, "/v1/notes?page=1"):
                    return .json(#"{"notes":[{"id":1,"text":"a"},{"id":2,"text":"b"}],"next":2}"#)
                case (.get, "/v1/notes?page=2"): return .json(#"{"notes":[{"id":3,"text":"c"}],"next":1}"#)
                case (.post, "/v1/notes") where request.bodyText == #"{"text":"water"}"#:
                    return .json(#"{"id":4,"text":"water"}"#, status: .created)
                case (.post, "/v1/notes"): return .json(#"{"message":"too long"}"#, status: .init(code: 422))
                case (.delete, "/v1/notes/1"): return ScriptedResponse(status: .noContent)
                default: return ScriptedResponse(status: .notFound)
                }
            }
            let endpoint = try #require(URL(string: "\(server.url)/token"))
            let tokens = APIClient.tokens(endpoint: endpoint, client: "garden", refreshToken: "first")
            let notes = try NotesAPI("\(server.url)/v1", tokens: tokens)
            try await body(notes, server) { refreshes.withLock { $0 } }
        }
    }

    @Test func `api-client gets one token for many calls, and follows the pages`() async throws {
        try await Self.withService { notes, _, refreshes in
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await notes.notes().count } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == Array(repeating: 3, count: 20))
            #expect(refreshes() == 1)
            let lines = try await APIClient.run([], notes)
            #expect(lines == ["1: a", "2: b", "3: c"])
        }
    }

    @Test func `api-client adds and removes notes, and a note that is gone is no error`() async throws {
        try await Self.withService { notes, _, _ in
            let added = try await APIClient.run(["add", "water"], notes)
            #expect(added == ["4: water"])
            for id in ["1", "99"] {
                let removed = try await APIClient.run(["remove", id], notes)
                #expect(removed.isEmpty)
            }
        }
    }

    @Test(.bug(id: "F663"), arguments: [["remove", "x"], ["remove"], ["add"], ["delete", "1"]])
    func `api-client fails if its arguments name no operation`(_ arguments: [String]) async throws {
        try await Self.withService { notes, server, _ in
            await #expect(throws: APIClient.Mistake.self) { try await APIClient.run(arguments, notes) }
            #expect(server.totalConnections == 0)
        }
    }

    @Test func `api-client gives the service's own words for a refusal`() async throws {
        try await Self.withService { notes, _, _ in
            let refusal = await #expect(throws: NotesAPI.Refusal.self) { try await notes.add("far too long") }
            #expect(refusal?.message == "too long")
        }
    }
}
