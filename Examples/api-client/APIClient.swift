// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Lists, adds and removes notes of a web service, with an OAuth 2 token that is refreshed when necessary.
///
///     export NOTES_CLIENT_ID=… NOTES_REFRESH_TOKEN=…
///     swift run api-client https://notes.example.com/v1 https://login.example.com/token
///     swift run api-client https://notes.example.com/v1 https://login.example.com/token add "Water the bluebonnets"
///     swift run api-client https://notes.example.com/v1 https://login.example.com/token remove 7
@main
struct APIClient {
    /// Arguments that name no operation.
    struct Mistake: Error {
        var message: String
    }

    private static let usage = "usage: api-client URL TOKEN_URL [add TEXT | remove ID]"

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let environment = ProcessInfo.processInfo.environment
        guard arguments.count >= 2, let endpoint = URL(string: arguments[1]),
            let client = environment["NOTES_CLIENT_ID"], let refreshToken = environment["NOTES_REFRESH_TOKEN"]
        else {
            print(Self.usage)
            print("NOTES_CLIENT_ID and NOTES_REFRESH_TOKEN have to be in the environment.")
            exit(64)
        }
        do {
            let tokens = Self.tokens(endpoint: endpoint, client: client, refreshToken: refreshToken)
            let notes = try NotesAPI(arguments[0], tokens: tokens)
            for line in try await Self.run(Array(arguments.dropFirst(2)), notes) { print(line) }
        } catch let mistake as Mistake {
            print(mistake.message)
            exit(64)
        } catch let refusal as NotesAPI.Refusal {
            print("the service says: \(refusal.message)")
            exit(1)
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Returns the tokens of an account; an access token is requested for the first call, and later when necessary.
    static func tokens(endpoint: URL, client: String, refreshToken: String) -> TokenSource {
        let oauth = OAuth2.refreshToken(endpoint: endpoint, client: OAuth2.Client(id: client))
        // The token has expired, so that the first call requests another one.
        return TokenSource(oauth, token: AccessToken("", lifetime: .zero, refreshToken: refreshToken))
    }

    /// Performs the operation that the arguments name.
    ///
    /// - Throws: ``Mistake`` if they name none; otherwise the errors of the client.
    static func run(_ arguments: [String], _ notes: NotesAPI) async throws -> [String] {
        switch (arguments.first, arguments.dropFirst().first) {
        case ("add", let text?):
            let note = try await notes.add(text)
            return ["\(note.id): \(note.text)"]
        case ("remove", let id?):
            guard let id = Int(id) else { throw Mistake(message: "\(id) is not the number of a note") }
            try await notes.remove(id)
            return []
        case (nil, _):
            return try await notes.notes().map { "\($0.id): \($0.text)" }
        default:
            throw Mistake(message: Self.usage)
        }
    }
}
