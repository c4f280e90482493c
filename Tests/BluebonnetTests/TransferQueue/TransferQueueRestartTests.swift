// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Bluebonnet

/// Uploads of a queue that begin again: at another URL, or with another file.
@Suite(.timeLimit(.minutes(1))) struct TransferQueueRestartTests {
    /// Opens a queue whose function prepares each request for a link of its own, which leads to the uploads.
    private static func open(_ scene: UploadTestScene) async throws -> TransferQueue {
        for number in 1...4 {
            scene.server.respond(to: "/link-\(number)") { _ in
                ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/files"])
            }
        }
        let (count, base) = (Recorder<Bool>(), scene.server.url)
        return try await TransferQueue(
            at: scene.directory.file("queue"),
            session: scene.session,
            options: .quick
        ) { request, _ in
            count.record(true)
            request.url = try Peer.url("\(base)/link-\(count.elements.count)?signature=1")
        }
    }

    @Test(.bug(id: "F862"), arguments: [false, true])
    func `an upload at another URL than that of the last attempt leaves nothing of that`(
        _ isDraft: Bool
    ) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
            scene.origin.fail(nil, .status(503), nil, .status(503))
            let queue = try await Self.open(scene)
            let id = try await queue.add(.upload(scene.file, to: scene.request().url, resuming: scene.upload))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            #expect(scene.origin.files == [scene.bytes])
            #expect(scene.origin.uploads.count == 1)
            // A finished transfer may still be removing its journal.
            await queue.shutdown()
            let names = try scene.directory.names
            #expect(names == ["a", "queue"])
        }
    }

    @Test(.bug(id: "F862"))
    func `an upload that another one began at the URL of a transfer is left alone`() async throws {
        try await UploadTestScene.run { scene in
            scene.origin.fail(nil, .status(403))
            #expect(try await scene.failing().uploadRemains != nil)
            let queue = try await Self.open(scene)
            try await queue.add(.upload(scene.file, to: scene.request().url, resuming: scene.upload))
            try await queue.waitUntilIdle()
            #expect(scene.origin.files == [scene.bytes])
            #expect(scene.origin.uploads.count == 2)
            await queue.shutdown()
            #expect(try await scene.send().resumedOffset == 300)
        }
    }

    @Test(.bug(id: "F862")) func `a cancelled upload is terminated, whatever the URL is now`() async throws {
        try await UploadTestScene.run { scene in
            scene.origin.fail(nil, .status(403), nil, .status(422))
            let queue = try await Self.open(scene)
            let id = try await queue.add(.upload(scene.file, to: scene.request().url, resuming: scene.upload))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .failed)
            #expect(scene.origin.uploads.count == 1)
            try await queue.cancel(id)
            #expect(scene.origin.uploads.isEmpty)
            let names = try scene.directory.names
            #expect(names == ["a", "queue"])
            await queue.shutdown()
        }
    }

    @Test(.bug(id: "F863"), arguments: [ResumableUpload.Recovery.fail, .startAgain])
    func `a file that changes in the middle is sent again if the upload says so`(
        _ recovery: ResumableUpload.Recovery
    ) async throws {
        try await UploadTestScene.run { scene in
            let (origin, file, other) = (scene.origin, scene.file, Data(scene.bytes.reversed()))
            scene.server.respond(to: "/files/0") { request in
                if request.method == .patch { try other.write(to: file) }
                return origin.respond(to: request)
            }
            scene.upload.whenChanged = recovery
            let queue = try await TransferQueue(
                at: scene.directory.file("queue"),
                session: scene.session,
                options: .quick
            )
            let id = try await queue.add(.upload(file, to: scene.request().url, resuming: scene.upload))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == (recovery == .fail ? .failed : .finished))
            #expect(queue[id]?.failure?.code == (recovery == .fail ? .sourceChanged : nil))
            #expect(origin.files == (recovery == .fail ? [] : [other]))
            #expect(origin.uploads.count == 1)
            await queue.shutdown()
        }
    }
}
