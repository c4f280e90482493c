// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport

extension Session {
    /// Runs a closure with a session and an engine of its own, and shuts both down afterwards.
    ///
    /// This is for tests, and for programs that must leave no connection behind. A session on the shared engine needs
    /// no shutdown.
    ///
    /// ```swift
    /// let status = try await Session.withSession { session in
    ///     try await session.response(for: Request(url: url)).status
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: How the session behaves.
    ///   - transport: The transport, which is not shut down at the end; an engine of the session's own by default.
    ///   - body: The closure.
    /// - Returns: What `body` returns, after all connections are closed.
    /// - Throws: What `body` throws.
    public static func withSession<Result>(
        configuration: Configuration = Configuration(),
        transport: (any Transport)? = nil,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        if transport == nil, configuration.engine == nil { configuration.engine = NIOTransport.Configuration() }
        let session = Session(configuration: configuration, transport: transport)
        let result: Result
        do {
            result = try await body(session)
        } catch {
            await session.shutdown()
            throw error
        }
        await session.shutdown()
        return result
    }
}
