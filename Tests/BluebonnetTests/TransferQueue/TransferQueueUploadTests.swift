// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Bluebonnet

/// Uploads of a queue, over real sockets.
@Suite(.timeLimit(.minutes(1))) struct TransferQueueUploadTests {
    /// An upload of the scene's file, perhaps with a URL that ``rewriting(_:)`` has to replace.
    private static func transfer(_ scene: UploadTestScene, isRewritten: Bool = false) throws -> Transfer {
        let path = isRewritten ? "/link" : "/files"
        return .upload(scene.file, to: try Peer.url(scene.server.url + path), resuming: scene.upload)
    }

    /// Prepares requests for the URL at which uploads are created.
    private static func rewriting(_ scene: UploadTestScene) throws -> TransferQueue.Preparation {
        let url = try scene.request().url
        return { request, _ in request.url = url }
    }

    private static func open(
        _ scene: UploadTestScene,
        _ options: TransferQueue.Options = .quick,
        prepare: @escaping TransferQueue.Preparation = { _, _ in }
    ) async throws -> TransferQueue {
        try await TransferQueue(
            at: scene.directory.file("queue"),
            session: scene.session,
            options: options,
            prepare: prepare
        )
    }

    @Test(arguments: [false, true]) func `an upload goes on where the server has it`(_ isDraft: Bool) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
            // The first piece arrives, the second one in part.
            scene.origin.fail(nil, .cut(after: 100))
            let queue = try await Self.open(scene)
            let id = try await queue.add(Self.transfer(scene))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            #expect(queue[id]?.progress == TransferProgress(completed: 1000, total: 1000))
            #expect(scene.origin.files == [scene.bytes])
            #expect(scene.origin.receivedByteCount <= 1300)
            await queue.shutdown()
            #expect(try scene.directory.names == ["a", "queue"])
        }
    }

    /// Leaves the journal of an upload that the server has completely.
    private static func leaveComplete(_ scene: UploadTestScene) async throws {
        let source = try UploadSource(scene.file)
        let call = Call(try scene.request())
        let ledger = try UploadLedger(source, to: call.originalRequest, scene.upload, scene.upload.dialect, call)
        let part = UploadJournal.Part(from: 0, to: 1000, url: nil, offset: 1000)
        try await ledger.begin([part], UploadCapabilities(), restart: nil)
        try await ledger.complete(isEvidence: true)
    }

    @Test(.bug(id: "F396"), arguments: [false, true], [false, true])
    func `an upload whose process ended before it had tidied up is not sent twice`(
        _ isWritten: Bool,
        _ isRewritten: Bool
    ) async throws {
        try await UploadTestScene.run { scene in
            scene.upload.removesFile = true
            let store = try TransferStore(scene.directory.file("queue"))
            var entry = try store.add(Self.transfer(scene, isRewritten: isRewritten), to: 0, at: Date.now)
            entry.start(nil)
            _ = entry.reach(.prepared(try scene.request().url))
            if isWritten { entry.finish(1000) }
            try store.write(entry)
            try await Self.leaveComplete(scene)
            #expect(try scene.directory.names.count == 4)
            let queue = try await Self.open(scene, prepare: Self.rewriting(scene))
            try await queue.waitUntilIdle()
            #expect(queue[entry.id]?.state == .finished)
            #expect(queue[entry.id]?.progress.completed == 1000)
            #expect(scene.origin.requests.isEmpty)
            await queue.shutdown()
            #expect(try scene.directory.names == ["queue"])
        }
    }

    @Test func `credentials that end in the middle are asked for again, and a refusal from the start is final`()
        async throws
    {
        try await UploadTestScene.run { scene in
            scene.origin.fail(nil, .status(403), .status(403))
            let queue = try await Self.open(scene)
            let id = try await queue.add(Self.transfer(scene))
            try await queue.waitUntilIdle()
            #expect(scene.origin.methods == ["OPTIONS", "POST", "PATCH", "PATCH", "HEAD", "PATCH"])
            let transfer = try #require(queue[id])
            #expect(transfer.state == .failed)
            #expect(transfer.failure?.status == 403)
            #expect(transfer.progress == TransferProgress(completed: 300, total: 1000))
            try await queue.resume(id)
            try await queue.waitUntilIdle()
            #expect(scene.origin.files == [scene.bytes])
            await queue.shutdown()
        }
    }

    /// 423 (Locked), because the server still handles the request before, and 460, because bytes were damaged on their way.
    @Test(.bug(id: "F526"), arguments: [false, true], [423, 460])
    func `a hindrance that passes is waited for, as an upload of the session does`(
        _ isDraft: Bool,
        _ status: Int
    ) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
            scene.origin.fail(nil, .status(status), .status(status))
            let queue = try await Self.open(scene)
            let id = try await queue.add(Self.transfer(scene))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            #expect(scene.origin.files == [scene.bytes])
            await queue.shutdown()
        }
    }

    @Test func `a refusal of the whole upload is final, whatever the policy says`() async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true)) { scene in
            scene.refuseWhole(with: 503)
            let queue = try await Self.open(scene)
            let id = try await queue.add(Self.transfer(scene))
            try await queue.waitUntilIdle()
            #expect(scene.origin.methods == ["POST", "PATCH", "PATCH", "PATCH"])
            #expect(queue[id]?.state == .failed)
            #expect(queue[id]?.failure?.status == 503)
            await queue.shutdown()
            #expect(try scene.directory.names == ["a", "queue"])
        }
    }

    @Test(.bug(id: "F488")) func `an upload has its URL before the server can have the file`() async throws {
        try await UploadTestScene.run(byteCount: 100) { scene in
            scene.origin.fail(.silence)
            let queue = try await Self.open(scene)
            let id = try await queue.add(Self.transfer(scene))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            #expect(scene.origin.methods == ["OPTIONS", "POST", "PATCH", "HEAD"])
            #expect(scene.origin.files == [scene.bytes])
            await queue.shutdown()
        }
    }

    @Test(
        .bug(id: "F486"),
        arguments: [UploadOrigin.Fault.silence, .status(503), .status(504)],
        [HTTPRequest.Method.post, .put]
    )
    func `a creation that carries the whole file is not repeated after a lost connection`(
        _ fault: UploadOrigin.Fault,
        _ repeated: HTTPRequest.Method
    ) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true), byteCount: 100) { scene in
            scene.concealURL()
            scene.origin.fail(fault)
            var options = TransferQueue.Options.quick
            options.retries.methods = [repeated]
            let queue = try await Self.open(scene, options)
            let id = try await queue.add(Self.transfer(scene))
            try await queue.waitUntilIdle()
            if repeated == .post {
                #expect(queue[id]?.state == .finished)
            } else {
                #expect(queue[id]?.state == .failed)
                #expect(scene.origin.methods == ["POST"])
                try await queue.resume(id)
                try await queue.waitUntilIdle()
                #expect(queue[id]?.state == .finished)
            }
            #expect(scene.origin.methods == ["POST", "POST"])
            await queue.shutdown()
        }
    }

    @Test(.bug(id: "F486"), arguments: [(504, 1), (429, 2)])
    func `parts are joined again only if they were not joined for certain`(
        _ status: Int,
        _ joinCount: Int
    ) async throws {
        try await UploadTestScene.run(byteCount: 2 * 1024 * 1024) { scene in
            scene.upload = .tus(TusOptions(parallelism: 2))
            let (origin, joins) = (scene.origin, Recorder<Int>())
            scene.server.respond(to: "/files") { request in
                guard request.headers[.concat]?.hasPrefix("final") == true else { return origin.respond(to: request) }
                joins.record(1)
                guard joins.elements.count == 1 else { return origin.respond(to: request) }
                return ScriptedResponse(status: .init(code: status))
            }
            let queue = try await Self.open(scene)
            let id = try await queue.add(Self.transfer(scene))
            try await queue.waitUntilIdle()
            #expect(joins.elements.count == joinCount)
            #expect(queue[id]?.state == (joinCount == 1 ? .failed : .finished))
            await queue.shutdown()
        }
    }

    @Test func `a cancelled upload is given up on the server`() async throws {
        try await UploadTestScene.run { scene in
            scene.origin.fail(nil, .status(403), .status(403))
            let queue = try await Self.open(scene)
            let id = try await queue.add(Self.transfer(scene))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .failed)
            try await queue.cancel(id)
            #expect(queue[id]?.state == .cancelled)
            #expect(queue[id]?.progress.completed == 0)
            #expect(scene.origin.methods.last == "DELETE")
            #expect(scene.origin.uploads.isEmpty)
            await queue.shutdown()
            #expect(try scene.directory.names == ["a", "queue"])
        }
    }

    /// Why a server cannot be told that an upload is given up.
    enum Obstacle: CaseIterable {
        case connection, status, preparation, otherURL
    }

    @Test(.bug(id: "F341"), .bug(id: "F396"), arguments: Obstacle.allCases, [false, true])
    func `a cancelled upload leaves nothing here when its server is gone`(
        _ obstacle: Obstacle,
        _ isRewritten: Bool
    ) async throws {
        try await UploadTestScene.run { scene in
            let (origin, isBlocked) = (scene.origin, Flag())
            scene.server.respond(to: "/files/0") { request in
                guard isBlocked.isRaised, obstacle == .connection || obstacle == .status else {
                    return origin.respond(to: request)
                }
                let effect = obstacle == .connection ? SocketEffect.reset(.beforeResponse) : nil
                return ScriptedResponse(status: .internalServerError, effect: effect)
            }
            origin.fail(nil, .status(403), .status(403))
            let rewrite = try Self.rewriting(scene)
            let queue = try await Self.open(scene) { request, transfer in
                if isBlocked.isRaised, obstacle == .preparation {
                    throw SessionError(.connectFailed, reason: "no token server")
                }
                try await rewrite(&request, transfer)
                if isBlocked.isRaised, obstacle == .otherURL { request.url.append(path: "moved") }
            }
            let id = try await queue.add(Self.transfer(scene, isRewritten: isRewritten))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .failed)
            #expect(try scene.directory.names.count == 4)
            isBlocked.raise()
            try await queue.cancel(id)
            #expect(queue[id]?.state == .cancelled)
            #expect(queue[id]?.progress.completed == 0)
            #expect(try scene.directory.names == ["a", "queue"])
            isBlocked.lower()
            try await queue.resume(id)
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            #expect(origin.methods.filter { $0 == "POST" }.count == 2)
            #expect(origin.files == [scene.bytes])
            await queue.shutdown()
        }
    }
}
