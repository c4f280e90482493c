// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Asks a language model and prints its answer as it arrives, or follows a channel of messages.
///
///     swift run chat-reader http://127.0.0.1:8080/v1/chat "Why are bluebonnets blue?"
///     swift run chat-reader --follow https://example.com/channels/garden
///
/// An answer ends with its body. A channel has no end: after a lost connection, a new one resumes after the last
/// message.
@main
struct ChatReader {
    /// A part of an answer or a message.
    struct Piece: Decodable, Sendable {
        var text: String
    }

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 else {
            print("usage: chat-reader URL QUESTION | chat-reader --follow URL")
            exit(64)
        }
        do {
            if arguments[0] == "--follow" {
                try await Self.follow(arguments[1]) { Self.write("\($0)\n") }
            } else {
                try await Self.ask(arguments[1], at: arguments[0]) { Self.write($0) }
                Self.write("\n")
            }
        } catch {
            Self.write("\n\(error)\n")
            exit(1)
        }
    }

    /// Sends a question, and passes on the answer part by part.
    static func ask(_ question: String, at address: String, show: @Sendable (String) -> Void) async throws {
        var api = HTTPSession()
        api.requestSerializer = .json
        let call = try api.prepare(.post, address, parameters: ["question": question, "stream": true])
        for try await event in call.events() {
            // Such services send this event before they close the stream.
            if event.data == "[DONE]" { return }
            show(try event.decode(Piece.self).text)
        }
    }

    /// Passes on the messages of a channel until the server ends it.
    static func follow(_ address: String, show: @Sendable (String) -> Void) async throws {
        // Servers send comments while there are no events; after a longer silence, the client reconnects.
        let options = EventSource.Options(idleLimit: .seconds(60))
        let events = try await HTTPSession().events(address, reconnecting: options)
        for try await event in events where event.type == "message" {
            show(try event.decode(Piece.self).text)
        }
    }

    /// Writes text without buffering, also to a pipe.
    private static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
