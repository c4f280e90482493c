// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension NIOTransport {
    /// Runs a test with an engine of its own, which is shut down whatever comes of the test.
    static func running(
        _ configuration: Configuration,
        _ body: (NIOTransport) async throws -> Void
    ) async throws {
        let transport = NIOTransport(configuration: configuration)
        let result: Result<Void, any Error>
        do { result = .success(try await body(transport)) } catch { result = .failure(error) }
        await transport.shutdown()
        try result.get()
    }
}
