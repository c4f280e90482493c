// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The destination that a session decides on (AFNetworking's `setDownloadTaskDidFinishDownloadingBlock`).
@Suite(.timeLimit(.minutes(1))) struct SessionDestinationTests {
    private func scene(
        _ decide: @escaping @Sendable (URL, Response) throws -> URL?,
        _ body: (DownloadScene) async throws -> Void
    ) async throws {
        var configuration = Session.Configuration()
        configuration.downloadDestination = decide
        try await DownloadScene.run(configuration, body)
    }

    @Test func `1.3.4 the session's destination wins over the task's`() async throws {
        let directory = try TemporaryDirectory()
        let decide: @Sendable (URL, Response) -> URL? = { _, response in
            response.suggestedFilename.map { directory.file($0) }
        }
        try await self.scene(decide) { scene in
            let task = scene.session.downloadTask(
                with: try scene.request("/bytes/1000"),
                to: scene.directory.file("task")
            )
            task.resume()
            #expect(try await task.value.url == directory.file("1000"))
            #expect(try directory.names == ["1000"])
            #expect(try scene.directory.names.isEmpty)
        }
    }

    @Test func `1.3.4 a session that decides nothing leaves it to the task`() async throws {
        let decide: @Sendable (URL, Response) -> URL? = { _, _ in nil }
        try await self.scene(decide) { scene in
            let file = try await scene.session.download(
                scene.request("/bytes/1000"),
                to: .decided { _, _ in scene.directory.file("task") }
            )
            #expect(file.url == scene.directory.file("task"))
        }
    }

    @Test func `a download goes on at the session's destination`() async throws {
        let directory = try TemporaryDirectory()
        let decide: @Sendable (URL, Response) -> URL? = { _, _ in directory.file("x") }
        try await self.scene(decide) { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(50_000))) },
                { origin.response(to: $0) }
            )
            #expect(try await scene.failing().downloadRemains?.byteCount == 50_000)
            let file = try await scene.download()
            #expect(file.url == directory.file("x"))
            #expect(file.resumedOffset == 50_000)
            // Where the file goes is known with the response: the request is then sent again, for the rest.
            #expect(served.ranges == [nil, nil, "bytes=50000-"])
            #expect(try directory.contents("x") == origin.bytes)
        }
    }

    @Test func `what the session's function throws ends the download`() async throws {
        struct Refusal: Error {}
        let decide: @Sendable (URL, Response) throws -> URL? = { _, _ in throw Refusal() }
        try await self.scene(decide) { scene in
            let error = try await scene.failing("/bytes/1000", policy: DownloadPolicy())
            #expect(error.code == .interceptorFailed)
            #expect(error.underlying is Refusal)
            #expect(try scene.directory.names.isEmpty)
        }
    }
}
