// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

/// The client of a web service that keeps notes.
///
/// It refreshes its token once for all calls that need it, repeats what may be repeated, and has a limit for everything.
struct NotesAPI: Sendable {
    /// What the service keeps.
    struct Note: Codable, Sendable, Hashable {
        var id: Int
        var text: String
    }

    /// What the service says when it refuses something.
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
    ///   - address: The URL of the service; tokens are sent to this origin alone.
    ///   - tokens: The account.
    /// - Throws: `SessionError` if the address is no URL.
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

    /// All notes, page by page.
    func notes() async throws -> [Note] {
        var notes: [Note] = []
        var number: Int? = 1
        while let current = number {
            let page = try await Self.explained { [api] in
                try await api.get("notes", parameters: ["page": current], as: Page.self)
            }
            notes += page.notes
            // A server that leads in circles is not followed.
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

    /// Removes a note; it is no error if there is none.
    func remove(_ id: Int) async throws {
        do {
            _ = try await self.api.delete(["notes", String(id)])
        } catch let error as SessionError where error.response?.status == .notFound {
            return
        }
    }

    /// Gives the server's own words for a refusal, where it has some.
    private static func explained<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch let error as SessionError where error.code == .unacceptableStatus {
            if let refusal = try? error.decode(Refusal.self) { throw refusal }
            throw error
        }
    }
}
