// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

// Calls in a package whose default isolation is the main actor; see scripts/check-call-sites. Only what is decoded,
// encoded, or called away from it is nonisolated.

nonisolated struct Row: Codable {
    var name: String
}

nonisolated struct Token: Interceptor {
    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        var request = request
        request.headers[.authorization] = "Bearer token"
        return try await next(request)
    }
}

final class Model {
    private let api: HTTPSession
    private(set) var rows: [Row] = []
    private(set) var fraction = 0.0
    private(set) var problem: String?

    init(_ text: String) throws {
        var configuration = Session.Configuration()
        configuration.interceptors = [Token()]
        self.api = try HTTPSession(text, configuration: configuration)
    }

    func load(page: Int, query: String?) async {
        do {
            self.rows = try await self.api.get("rows", parameters: ["page": page, "q": query], as: [Row].self)
        } catch let error as SessionError {
            self.problem = (try? error.decode(Row.self).name) ?? error.reason
        } catch {
            self.problem = nil
        }
    }

    func begin() throws {
        self.api.start(.get, "rows", as: [Row].self) { result in
            Task { @MainActor in self.rows = (try? result.get()) ?? [] }
        }
        try self.api.prepare(.get, "rows").task(as: [Row].self).onCompletion { _ in
            Task { @MainActor in self.problem = nil }
        }
    }

    func follow() async throws {
        let task = try self.api.prepare(.get, "rows").task(as: [Row].self)
        task.resume()
        for await step in task.downloadProgress { self.fraction = step.fraction ?? 0 }
        self.rows = try await task.value
    }

    func save(_ row: Row, _ file: URL) async throws {
        try await self.api.post("rows", parameters: row)
        try await self.api.put("file", body: .file(file)) { progress in
            Task { @MainActor in self.fraction = progress.fraction ?? 0 }
        }
        for try await event in try await self.api.events("changes") { self.problem = event.data }
    }
}
