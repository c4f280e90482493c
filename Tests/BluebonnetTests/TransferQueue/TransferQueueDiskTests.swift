// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Bluebonnet

/// The end of a session, and disks and folders that do not do what they should.
@Suite(.timeLimit(.minutes(1))) struct TransferQueueDiskTests {
    @Test func `the end of the session is no failure of a transfer`() async throws {
        let directory = try TemporaryDirectory()
        let transport = StubTransport()
        let session = Session(transport: transport)
        await session.shutdown()
        let queue = try await TransferQueue(at: directory.file("queue"), session: session)
        let id = try await queue.add(.download(Peer.url("http://h/"), to: directory.file("a")))
        try await queue.waitUntilIdle()
        await queue.shutdown()
        #expect(queue[id]?.state == .waiting)
        #expect(queue[id]?.failedAttemptCount == 0)
        #expect(try directory.names == ["queue"])
        var changes = queue.changes.makeAsyncIterator()
        guard case .updated(let transfer)? = await changes.next() else {
            Issue.record("no change")
            return
        }
        #expect(transfer.id == id)
        let last = await changes.next()
        #expect(last == nil)
    }

    @Test func `a folder that cannot be one is refused`() async throws {
        let directory = try TemporaryDirectory()
        try Data().write(to: directory.file("a"))
        for url in [
            directory.file("a"), directory.file("a/b"), try Peer.url("https://h/"), URL(filePath: "/proc/queue"),
        ] {
            let error = await #expect(throws: SessionError.self) {
                _ = try await TransferQueue(at: url, session: Session(transport: StubTransport()))
            }
            #expect(error?.code == .transferQueueUnavailable, "\(url)")
        }
    }

    @Test func `a folder that vanishes is an error, and stops nobody`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { TransferQueueFailureTests.origin.response(to: $0) }
            let queue = try await scene.open()
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            try FileManager.default.removeItem(at: scene.folder)
            let error = await #expect(throws: SessionError.self) { try await queue.add(scene.download("/file", "b")) }
            #expect(error?.code == .transferQueueUnavailable)
            let scan = await #expect(throws: SessionError.self) { try await queue.rescan() }
            #expect(scan?.code == .transferQueueUnavailable)
            #expect(queue[id]?.state == .finished)
            await queue.shutdown()
        }
    }

    @Test(.bug(id: "F227"), arguments: [Transfer.State.finished, .cancelled])
    func `a transfer whose record cannot be removed stays in the queue`(_ state: Transfer.State) async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { request in
                TransferQueueFailureTests.origin
                    .response(to: request, state == .cancelled ? .stall(.afterBody(1000)) : nil)
            }
            let queue = try await scene.open()
            let id = try await queue.add(scene.download())
            if state == .cancelled { try await queue.cancel(id) }
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == state)
            // A directory cannot be removed like a file, not even by a user who may do everything.
            let record = scene.folder.appending(path: "\(id)\(TransferStore.nameEnding)", directoryHint: .notDirectory)
            let content = try Data(contentsOf: record)
            try FileManager.default.removeItem(at: record)
            try FileManager.default.createDirectory(at: record, withIntermediateDirectories: false)
            let error = await #expect(throws: SessionError.self) { try await queue.remove(id) }
            #expect(error?.code == .transferQueueUnavailable)
            #expect(queue[id]?.state == state)

            try FileManager.default.removeItem(at: record)
            try content.write(to: record)
            try await queue.remove(id)
            #expect(queue[id] == nil)
            #expect(try TransferDirectory(scene.folder).contents().transfers.isEmpty)
            await queue.shutdown()
        }
    }

    /// The codes of a folder that does not let a record be removed.
    @Test(.bug(id: "F227"), arguments: [EACCES, EPERM, EROFS, EISDIR])
    func `a record that may not be removed is an error of the folder`(_ code: CInt) {
        let error = SessionError(ofTransferQueue: SystemError(.remove, code))
        #expect(error.code == .transferQueueUnavailable)
        #expect(error.reason.contains("could not be removed"))
    }

    /// When the disk takes records again, after it has refused that of a finished upload.
    enum Recovery: CaseIterable {
        case nextChange, removal, shutdown, nextProcess
    }

    @Test(.bug(id: "F487"), arguments: Recovery.allCases)
    func `the end of an upload that could not be recorded is not lost`(_ recovery: Recovery) async throws {
        try await UploadTestScene.run { scene in
            scene.upload.removesFile = true
            let (folder, saved) = (scene.directory.file("queue"), scene.directory.file("saved"))
            let name = { @Sendable (id: Transfer.ID) in folder.appending(path: "\(id)\(TransferStore.nameEnding)") }
            // A directory cannot be replaced by a file, not even by a user who may do everything.
            let queue = try await TransferQueue(at: folder, session: scene.session, options: .quick) { _, transfer in
                try FileManager.default.moveItem(at: name(transfer.id), to: saved)
                try FileManager.default.createDirectory(at: name(transfer.id), withIntermediateDirectories: false)
            }
            let url = try scene.request().url
            let id = try await queue.add(.upload(scene.file, to: url, resuming: scene.upload))
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            // The file, two of its journal, the queue and the record.
            #expect(try scene.directory.names.count == 5)
            let requestCount = scene.origin.requests.count
            if recovery == .nextProcess { await queue.shutdown() }
            try FileManager.default.removeItem(at: name(id))
            try FileManager.default.moveItem(at: saved, to: name(id))
            switch recovery {
            case .nextChange: try await queue.rescan()
            case .removal: try await queue.remove(id)
            case .shutdown: await queue.shutdown()
            case .nextProcess:
                #expect(try TransferDirectory(folder).contents().transfers.map(\.state) == [.running])
                let next = try await TransferQueue(at: folder, session: scene.session, options: .quick)
                try await next.waitUntilIdle()
                await next.shutdown()
            }
            // The attempt may still be about to end, and tidies up then.
            #expect(try await Patience.holds { try scene.directory.names == ["queue"] })
            let states = try TransferDirectory(folder).contents().transfers.map(\.state)
            #expect(states == (recovery == .removal ? [] : [.finished]))
            #expect(scene.origin.requests.count == requestCount)
            await queue.shutdown()
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable)) func `on a full disk nothing is added and nothing is lost`() async throws
    {
        try await SmallDisk.with { disk in
            let folder = try TransferDirectory(disk.appending(path: "queue"))
            let id = try folder.add(.download(Peer.url("http://h/"), to: disk.appending(path: "a")))
            // All the room there is.
            let path = disk.appending(path: "large").path(percentEncoded: false)
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            let large = try #require(FileHandle(forWritingAtPath: path))
            for size in [64 * 1024, 4096, 1] {
                while (try? large.write(contentsOf: Data(repeating: 1, count: size))) != nil {}
            }
            #expect(throws: SessionError(.storageFull, reason: "")) {
                try folder.add(.download(Peer.url("http://h/"), to: disk.appending(path: "b")))
            }
            var options = TransferQueue.Options.quick
            options.retries.maximumAttempts = 2
            let session = Session(transport: StubTransport())
            let queue = try await TransferQueue(at: folder.url, session: session, options: options)
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .failed)
            #expect(queue[id]?.failure?.code == .storageFull)
            await queue.shutdown()
            let contents = try folder.contents()
            #expect(contents.transfers.map(\.id) == [id])
            #expect(contents.unreadable.isEmpty)
            try large.close()
            try FileManager.default.removeItem(at: disk.appending(path: "large"))
            let next = try await TransferQueue(at: folder.url, session: session, options: options)
            // The disk may have had room for the end of the first attempts.
            try await next.resume(id)
            try await next.waitUntilIdle()
            #expect(next[id]?.state == .finished)
            await next.shutdown()
        }
    }
}
