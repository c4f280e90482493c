// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

/// The client of a web service that keeps notes.
///
/// It refreshes its token once for all calls that need it, retries repeatable requests, and has a limit for everything.
struct NotesAPI: Sendable {
    /// A note of the service.
    struct Note: Codable, Sendable, Hashable {
        var id: Int
        var text: String
    }

    /// The service's explanation of an error.
    struct Refusal: Error, Decodable, Sendable {
        var message: String
    }

    private struct Page: Decodable, Sendable {
        var notes: [Note]
        var next: Int?
    }

    private let api: HTTPSession

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: The URL of the service; tokens are sent only to its origin.
    ///   - tokens: The tokens of the account.
    /// - Throws: `SessionError` if the address is not a URL.
    init(_ address: String, tokens: TokenSource) throws {
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(tokens)
        configuration.retries = .idempotent(attempts: 3)
        configuration.timeouts.idle = .seconds(20)
        configuration.timeouts.total = .seconds(60)
        configuration.limits.responseByteCount = 4 << 20
        var api = try HTTPSession(address, configuration: configuration)
        api.requestSerializer = .json
        self.api = api
    }

    /// Returns all notes, which are received page by page.
    func notes() async throws -> [Note] {
        var notes: [Note] = []
        var number: Int? = 1
        while let current = number {
            let page = try await Self.explained { [api] in
                try await api.get("notes", parameters: ["page": current], as: Page.self)
            }
            notes += page.notes
            // A page number that does not increase ends the loop, so that it cannot be endless.
            number = page.next.flatMap { $0 > current ? $0 : nil }
        }
        return notes
    }

    /// Adds a note.
    func add(_ text: String) async throws -> Note {
        try await Self.explained { [api] in
            try await api.post("notes", parameters: ["text": text], as: Note.self)
        }
    }

    /// Removes a note; a missing note is not an error.
    func remove(_ id: Int) async throws {
        do {
            _ = try await self.api.delete(["notes", String(id)])
        } catch let error as SessionError where error.response?.status == .notFound {
            return
        }
    }

    /// Throws the server's explanation of an error, if there is one.
    private static func explained<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch let error as SessionError where error.code == .unacceptableStatus {
            if let refusal = try? error.decode(Refusal.self) { throw refusal }
            throw error
        }
    }
}
