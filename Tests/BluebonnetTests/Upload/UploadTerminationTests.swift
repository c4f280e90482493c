// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// Uploads that are given up, and what their server has of them.
@Suite(.timeLimit(.minutes(1))) struct UploadTerminationTests {
    /// Refuses the next requests that terminate the upload at a path.
    private static func refuseTermination(_ scene: UploadTestScene, of path: String, _ statuses: [Int]) {
        let (origin, refused) = (scene.origin, Recorder<Int>())
        scene.server.respond(to: path) { request in
            guard request.method == .delete, refused.elements.count < statuses.count else {
                return origin.respond(to: request)
            }
            let status = statuses[refused.elements.count]
            refused.record(status)
            return ScriptedResponse(status: .init(code: status))
        }
    }

    /// Leaves an upload that was interrupted, in some parts of which the server has these numbers of bytes.
    private static func leave(_ byteCounts: [Int], _ scene: UploadTestScene) async throws {
        let source = try UploadSource(scene.file)
        let call = Call(try scene.request())
        let ledger = try UploadLedger(source, to: call.originalRequest, scene.upload, scene.upload.dialect, call)
        let length = scene.bytes.count / byteCounts.count
        let parts = byteCounts.indices.map { index in
            let from = Int64(index * length)
            return UploadJournal.Part(from: from, to: from + Int64(length), url: nil, offset: from)
        }
        try await ledger.begin(parts, UploadCapabilities(), restart: nil)
        for (index, count) in byteCounts.enumerated() {
            let url = try Peer.url("\(scene.server.url)/files/\(index)")
            try await ledger.created(url, ofPart: index)
            scene.origin.state.withLock { state in
                let bytes = Array(scene.bytes.dropFirst(index * length).prefix(count))
                state.uploads["/files/\(index)"] = UploadOrigin.Upload(
                    length: length,
                    bytes: bytes,
                    isComplete: count == length
                )
                state.nextNumber += 1
            }
        }
        await ledger.release()
    }

    private static func discard(_ scene: UploadTestScene) async throws -> Bool {
        try await scene.session.discardUpload(of: scene.file, with: scene.request(), resuming: scene.upload)
    }

    @Test(.bug(id: "F865"), arguments: [false, true])
    func `a server that still holds the lock of an upload is asked again to terminate it`(
        _ isDraft: Bool
    ) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
            try await Self.leave([300], scene)
            Self.refuseTermination(scene, of: "/files/0", [423, 423])
            #expect(try await Self.discard(scene))
            #expect(scene.origin.uploads.isEmpty)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(.bug(id: "F865")) func `a part that is refused does not keep the others on the server`() async throws {
        try await UploadTestScene.run { scene in
            try await Self.leave([100, 200, 0, 50], scene)
            Self.refuseTermination(scene, of: "/files/1", [403])
            let error = await #expect(throws: SessionError.self) { try await Self.discard(scene) }
            #expect(error?.status?.code == 403)
            #expect(Array(scene.origin.uploads.keys) == ["/files/1"])
            // The journal is kept for another attempt.
            #expect(try await Self.discard(scene))
            #expect(scene.origin.uploads.isEmpty)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(.bug(id: "F861"), arguments: [false, true], [0, 300, 1000])
    func `the unfinished upload of a changed file is terminated, and a complete one stays`(
        _ isDraft: Bool,
        _ byteCount: Int
    ) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
            try await Self.leave([byteCount], scene)
            let other = Data(scene.bytes.reversed())
            try other.write(to: scene.file)
            scene.upload.whenChanged = .startAgain
            #expect(try await scene.send().restart == .changed)
            #expect(scene.origin.uploads.count == (byteCount == 1000 ? 2 : 1))
            #expect(scene.origin.files.contains(other))
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(.bug(id: "F861"), arguments: [500, 404])
    func `a changed file is sent although its earlier upload cannot be terminated`(_ status: Int) async throws {
        try await UploadTestScene.run { scene in
            try await Self.leave([300], scene)
            Self.refuseTermination(scene, of: "/files/0", [status])
            try Data(scene.bytes.reversed()).write(to: scene.file)
            scene.upload.whenChanged = .startAgain
            #expect(try await scene.send().restart == .changed)
            #expect(scene.origin.files == [Data(scene.bytes.reversed())])
        }
    }

    @Test(.bug(id: "F866")) func `the error for a path that is not UTF-8 says so`() async throws {
        try await UploadTestScene.run { scene in
            let file = try #require(URL(string: "file:///tmp/%FF"))
            let error = await #expect(throws: SessionError.self) {
                try await scene.session.upload(file, with: scene.request(), resuming: scene.upload)
            }
            #expect(error?.code == .bodyFailed)
            #expect(error?.reason.contains("not UTF-8") == true)
        }
    }
}
