// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// A file that is sent in several requests.
@Suite(.timeLimit(.minutes(1))) struct FilePartBodyTests {
    @Test func `each part is sent with its length, and again behind a redirect`() async throws {
        let bytes = PatternBytes.bytes(300_001)
        let directory = try TemporaryDirectory()
        let file = directory.file("video")
        try Data(bytes).write(to: file)
        var configuration = TestServer.Configuration()
        configuration.recordedBodyLimit = 1 << 20
        try await TestServer.withServer(configuration: configuration) { server in
            let api = HTTPSession(server.baseURL, transport: try server.makeTransport())
            for start in stride(from: 0, to: Int64(bytes.count), by: 100_000) {
                let part = start..<min(start + 100_000, Int64(bytes.count))
                server.enqueue(ScriptedResponse(status: .temporaryRedirect, headers: ["Location": "/moved"]))
                server.enqueue(ScriptedResponse())
                try await api.put("parts", body: .file(file, bytes: part))
                for path in ["/parts", "/moved"] {
                    let request = try await server.takeRequest()
                    #expect(request.path == path)
                    #expect(request.headers[.contentLength] == "\(part.count)")
                    #expect(request.headers[.contentType] == nil)
                    #expect(request.body == Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)]))
                }
            }
            await api.session.transport.shutdown()
        }
    }
}
