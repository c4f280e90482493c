// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import HTTPTypes
import Synchronization
import Testing

@testable import chat_reader

/// `Examples/chat-reader` against a server of our own.
@Suite(.timeLimit(.minutes(1))) struct ChatReaderTests {
    private static func events(_ text: String) -> ScriptedResponse {
        ScriptedResponse(headers: [.contentType: "text/event-stream"], body: .text(text))
    }

    @Test func `chat-reader shows an answer piece by piece, up to its end`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                Self.events(
                    "data: {\"text\":\"Because \"}\n\ndata: {\"text\":\"of anthocyanins.\"}\n\ndata: [DONE]\n\ndata: x\n\n"
                )
            )
            let shown = Mutex<[String]>([])
            try await ChatReader.ask("Why?", at: "\(server.url)/chat") { piece in
                shown.withLock { $0.append(piece) }
            }
            #expect(shown.withLock { $0 } == ["Because ", "of anthocyanins."])
            let request = try await server.takeRequest()
            #expect(request.method == .post)
            #expect(request.bodyText == #"{"question":"Why?","stream":true}"#)
        }
    }

    @Test func `chat-reader follows a channel over a lost connection, from the last message on`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                Self.events("retry: 0\n\nid: 7\ndata: {\"text\":\"one\"}\n\n"),
                Self.events("event: ping\ndata: -\n\nid: 8\ndata: {\"text\":\"two\"}\n\n"),
                ScriptedResponse(status: .noContent)
            )
            let shown = Mutex<[String]>([])
            try await ChatReader.follow("\(server.url)/channel") { piece in
                shown.withLock { $0.append(piece) }
            }
            #expect(shown.withLock { $0 } == ["one", "two"])
            let ids = [
                try await server.takeRequest(), try await server.takeRequest(), try await server.takeRequest(),
            ].map { $0.headers[HTTPField.Name("Last-Event-ID")!] }
            #expect(ids == [nil, "7", "8"])
        }
    }

    @Test func `chat-reader says why there is no answer`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(.json("{}", status: .serviceUnavailable))
            let error = await #expect(throws: SessionError.self) {
                try await ChatReader.ask("Why?", at: "\(server.url)/chat") { _ in }
            }
            #expect(error?.code == .unacceptableStatus)
        }
    }
}
