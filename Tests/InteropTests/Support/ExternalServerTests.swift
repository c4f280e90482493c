// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The servers themselves: they start, they can be reached, and nothing of them is left afterwards.
@Suite(.timeLimit(.minutes(1)))
struct ExternalServerTests {
    @Test(arguments: [ExternalServer.Kind.nginx, .files, .bodies, .werkzeug, .aiohttp, .proxies])
    func `starts, and leaves nothing behind`(_ kind: ExternalServer.Kind) async throws {
        let (files, url) = try await ExternalServer.run(kind) { server in
            #expect(FileManager.default.fileExists(atPath: server.files.path()))
            return (server.files, server.http)
        }
        #expect(url.port != nil)
        #expect(!FileManager.default.fileExists(atPath: files.path()))
    }

    @Test
    func `is ended when the test fails`() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await ExternalServer.run(.nginx) { _ in throw Failure() }
        }
    }
}
