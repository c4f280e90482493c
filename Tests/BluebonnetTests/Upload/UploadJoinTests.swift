// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// The request that joins the parts of a parallel upload, at a server that no longer has them.
@Suite(.timeLimit(.minutes(1))) struct UploadJoinTests {
    /// What the server does when the parts are to be joined.
    enum Loss: CaseIterable, Sendable {
        case onePart, allParts, onePartEachTime, nothing

        func apply(to origin: UploadOrigin, atJoin count: Int) {
            guard count == 1 || self == .onePartEachTime else { return }
            origin.state.withLock { state in
                let parts = state.uploads.keys.sorted()
                for part in self == .allParts ? parts : Array(parts.prefix(1)) { state.uploads[part] = nil }
            }
        }
    }

    /// Runs an upload in two parts to a server that refuses to join them.
    ///
    /// - Returns: The file, or the error, and the number of requests that join.
    private static func run(
        _ loss: Loss,
        _ status: Int,
        whenLost: ResumableUpload.Recovery = .startAgain,
        _ check: (UploadTestScene, Result<UploadedFile, any Error>, Int) throws -> Void
    ) async throws {
        let origin = UploadOrigin()
        try await UploadTestScene.run(origin, byteCount: 2 * 1024 * 1024) { scene in
            scene.upload = .tus(TusOptions(parallelism: 2))
            scene.upload.whenLost = whenLost
            let joins = Recorder<Int>()
            scene.server.respond(to: "/files") { request in
                guard request.headers[.concat]?.hasPrefix("final") == true else { return origin.respond(to: request) }
                joins.record(1)
                if loss != .nothing { loss.apply(to: origin, atJoin: joins.elements.count) }
                let response = origin.respond(to: request)
                // A part is missing.
                let isRefused = response.status.code == 400 || loss == .nothing
                return isRefused ? ScriptedResponse(status: .init(code: status)) : response
            }
            let result: Result<UploadedFile, any Error>
            do { result = .success(try await scene.send()) } catch { result = .failure(error) }
            try check(scene, result, joins.elements.count)
        }
    }

    @Test(.bug(id: "F563"), arguments: [Loss.onePart, .allParts], [404, 410])
    func `parts that are lost before they are joined are sent again`(_ loss: Loss, _ status: Int) async throws {
        try await Self.run(loss, status) { scene, result, joinCount in
            let file = try result.get()
            #expect(file.restart == .lost)
            #expect(file.resumedOffset == 0)
            #expect(joinCount == 2)
            #expect(scene.origin.files == [scene.bytes])
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(.bug(id: "F563")) func `parts that are lost before they are joined are an error if the upload says so`()
        async throws
    {
        try await Self.run(.onePart, 404, whenLost: .fail) { _, result, joinCount in
            let error = #expect(throws: SessionError.self) { try result.get() }
            #expect(error?.code == .uploadLost)
            #expect(joinCount == 1)
        }
    }

    /// A server that loses a part each time; and one that has all parts and does not join them.
    @Test(.bug(id: "F563"), arguments: [(Loss.onePartEachTime, 4), (.nothing, 2)])
    func `a server that never joins the parts is given up`(_ loss: Loss, _ joinCount: Int) async throws {
        try await Self.run(loss, 404) { _, result, count in
            let error = #expect(throws: SessionError.self) { try result.get() }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.status == .notFound)
            #expect(count == joinCount)
        }
    }
}
