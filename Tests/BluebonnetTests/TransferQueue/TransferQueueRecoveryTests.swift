// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// What a queue makes of the records and files of a process that was killed between two steps.
@Suite(.timeLimit(.minutes(1))) struct TransferQueueRecoveryTests {
    private static let origin = RangeOrigin(byteCount: 200_000, fields: [.acceptRanges: "bytes"])

    /// Writes what a process leaves that had begun a download and was told to stop it.
    private static func leave(
        _ scene: TransferQueueScene,
        _ change: (inout TransferEntry) -> Bool = { _ in true }
    ) throws -> TransferEntry {
        let store = try TransferStore(scene.folder)
        var entry = try store.add(scene.download(), to: 0, at: Date.now)
        entry.start(try TransferRun.reserve(entry.transfer))
        let isChanged = change(&entry)
        #expect(isChanged)
        try store.write(entry)
        return entry
    }

    private static func partialName(_ scene: TransferQueueScene) throws -> String {
        let location = try #require(FileLocation(path: scene.file.path(percentEncoded: false)))
        return PartialFile.name(for: location)
    }

    @Test func `a transfer that was paused or cancelled when it was complete is finished`() async throws {
        for isPaused in [true, false] {
            try await TransferQueueScene.run { scene in
                let entry = try Self.leave(scene) { isPaused ? $0.pause() : $0.cancel() }
                try FileManager.default.moveItem(at: scene.directory.file(Self.partialName(scene)), to: scene.file)
                try FileHandle(forWritingTo: scene.file).write(contentsOf: Data("whole".utf8))
                let queue = try await scene.open()
                try await queue.waitUntilIdle()
                #expect(queue[entry.id]?.state == .finished)
                #expect(queue[entry.id]?.progress.completed == 5)
                #expect(try scene.directory.names == ["a", "queue"])
                await queue.shutdown()
            }
        }
    }

    @Test func `the bytes of a transfer that was cancelled are removed by the next process`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { Self.origin.response(to: $0) }
            let entry = try Self.leave(scene) { $0.cancel() }
            let partial = try Self.partialName(scene)
            try FileHandle(forWritingTo: scene.directory.file(partial)).write(contentsOf: Data("part".utf8))
            try Data("{}".utf8).write(to: scene.directory.file(partial + ".journal"))
            let queue = try await scene.open()
            // It begins when the bytes are gone.
            try await queue.resume(entry.id)
            try await queue.wait(for: entry.id) { $0.state == .finished }
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
            await queue.shutdown()
            #expect(try scene.directory.names == ["a", "queue"])
        }
    }

    @Test func `a cancelled transfer that is not resumed leaves nothing behind a kill`() async throws {
        try await TransferQueueScene.run { scene in
            let entry = try Self.leave(scene) { $0.cancel() }
            let partial = try Self.partialName(scene)
            try FileHandle(forWritingTo: scene.directory.file(partial)).write(contentsOf: Data("part".utf8))
            let queue = try await scene.open()
            // Waits for what the queue does with it.
            try await queue.remove(entry.id)
            #expect(try scene.directory.names == ["queue"])
            await queue.shutdown()
        }
    }

    @Test func `an upload that was cancelled is given up on the server by the next process`() async throws {
        try await UploadTestScene.run { scene in
            scene.origin.fail(nil, .cut(after: 10))
            _ = try await scene.failing()
            #expect(scene.origin.uploads.count == 1)
            let store = try TransferStore(scene.directory.file("queue"))
            let url = try Peer.url("\(scene.server.url)/files")
            var entry = try store.add(.upload(scene.file, to: url, resuming: scene.upload), to: 0, at: Date.now)
            entry.start(nil)
            let isCancelled = entry.cancel()
            #expect(isCancelled)
            try store.write(entry)
            let file = scene.directory.file("queue")
            let queue = try await TransferQueue(at: file, session: scene.session, options: .quick)
            try await queue.remove(entry.id)
            #expect(scene.origin.uploads.isEmpty)
            await queue.shutdown()
            #expect(try scene.directory.names == ["a", "queue"])
        }
    }

    @Test func `what a killed process was writing is removed when it is old`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { Self.origin.response(to: $0) }
            let id = try TransferDirectory(scene.folder).add(scene.download())
            let names = ["\(id).transfer.new", "00000000000000000000000000000001.transfer.new", "mine.new"]
            for name in names {
                let file = scene.folder.appending(path: name)
                try Data("{".utf8).write(to: file)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date.now.addingTimeInterval(-7200)],
                    ofItemAtPath: file.path(percentEncoded: false)
                )
            }
            // Another process may be at it.
            try Data("{".utf8).write(to: scene.folder.appending(path: "00000000000000000000000000000002.transfer.new"))
            let queue = try await scene.open()
            try await queue.waitUntilIdle()
            await queue.shutdown()
            let left = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path(percentEncoded: false))
            #expect(
                left.filter { $0.hasSuffix(".new") }.sorted() == [
                    "00000000000000000000000000000002.transfer.new", "mine.new",
                ]
            )
        }
    }

    @Test func `a download whose process ended before it could say that it was complete is finished`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([{ Self.origin.response(to: $0) }])
            scene.server.respond(to: "/file") { served.serve($0) }
            let entry = try Self.leave(scene)
            // What the process did last.
            let location = try #require(FileLocation(path: scene.file.path(percentEncoded: false)))
            try FileManager.default.moveItem(
                at: scene.directory.file(PartialFile.name(for: location)),
                to: scene.file
            )
            try FileHandle(forWritingTo: scene.file).write(contentsOf: Data("whole".utf8))
            for ending in [".journal", ".journal.new"] {
                try Data("{}".utf8).write(to: scene.directory.file(PartialFile.name(for: location) + ending))
            }
            let queue = try await scene.open()
            try await queue.waitUntilIdle()
            #expect(queue[entry.id]?.state == .finished)
            #expect(queue[entry.id]?.progress.completed == 5)
            #expect(try scene.directory.names == ["a", "queue"])
            #expect(try scene.directory.contents("a") == Data("whole".utf8))
            #expect(served.requests.isEmpty)
            await queue.shutdown()
        }
    }

    @Test func `another file at the destination is not taken for the download`() async throws {
        try await TransferQueueScene.run { scene in
            let entry = try Self.leave(scene)
            try Data("mine".utf8).write(to: scene.file)
            let queue = try await scene.open()
            try await queue.waitUntilIdle()
            #expect(queue[entry.id]?.state == .failed)
            #expect(queue[entry.id]?.failure?.code == .destinationExists)
            #expect(try scene.directory.contents("a") == Data("mine".utf8))
            await queue.shutdown()
        }
    }

    /// What a record knows of the file at the destination, besides its device and inode: the time of its creation,
    /// compared with that of the file, and the number of bytes; and whether it is the download.
    @Test(
        .bug(id: "F489"),
        arguments: [(-1, nil, false), (0, 9, true), (nil, 9, false), (nil, 4, true), (nil, nil, true)]
            as [(Int64?, Int64?, Bool)]
    )
    func `a file that has got the number of the partial file is not taken for the download`(
        _ creation: Int64?,
        _ total: Int64?,
        _ isDownload: Bool
    ) async throws {
        try await TransferQueueScene.run { scene in
            try Data("mine".utf8).write(to: scene.file)
            let location = try #require(FileLocation(path: scene.file.path(percentEncoded: false)))
            var number = try #require(FileNumber.ofRegularFile(at: location)?.number)
            // Without the time there is only the size to go by.
            guard creation == nil || number.created != nil else { return }
            number.created = creation.flatMap { offset in number.created.map { $0 + offset } }
            let store = try TransferStore(scene.folder)
            var entry = try store.add(scene.download(), to: 0, at: Date.now)
            entry.start(number)
            if let total { entry.keep(0, of: total) }
            try store.write(entry)
            let queue = try await scene.open()
            try await queue.waitUntilIdle()
            #expect(queue[entry.id]?.state == (isDownload ? .finished : .failed))
            #expect(queue[entry.id]?.failure?.code == (isDownload ? nil : .destinationExists))
            #expect(try scene.directory.contents("a") == Data("mine".utf8))
            await queue.shutdown()
        }
    }

    @Test(.bug(id: "F490"), arguments: [false, true])
    func `a lock file without a journal is removed`(_ isLocked: Bool) async throws {
        try await UploadTestScene.run { scene in
            let store = try TransferStore(scene.directory.file("queue"))
            let url = try scene.request().url
            var entry = try store.add(.upload(scene.file, to: url, resuming: scene.upload), to: 0, at: Date.now)
            entry.start(nil)
            entry.finish(1000)
            try store.write(entry)
            let place = try UploadJournalPlace(scene.file, url, scene.upload, scene.upload.dialect)
            var lock: PartialFile? = try PartialFile(at: place.location, continuing: place.name)
            lock?.fate = .kept
            if !isLocked { lock = nil }
            #expect(try scene.directory.names.count == 3)
            let file = scene.directory.file("queue")
            let queue = try await TransferQueue(at: file, session: scene.session, options: .quick)
            await queue.shutdown()
            // An upload that has the lock may not have written its journal yet.
            #expect(try scene.directory.names.count == (isLocked ? 3 : 2))
            lock = nil
        }
    }

    @Test(.bug(id: "F340")) func `restarts that never get further come to an end`() async throws {
        try await TransferQueueScene.run { scene in
            let versions = [#""a""#, #""b""#].map { RangeOrigin(byteCount: 200_000, entityTag: $0) }
            let count = Atomic(0)
            scene.server.respond(to: "/file") { request in
                let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
                // A queue that goes on for ever must not keep the test from its end.
                guard number < 50 else { return ScriptedResponse(status: .notFound) }
                let effect = SocketEffect.close(.afterBody(number.isMultiple(of: 2) ? 60_000 : 30_000))
                return versions[number % 2].response(to: request, effect)
            }
            var options = TransferQueue.Options.quick
            options.retries.maximumAttempts = 5
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .failed)
            #expect(queue[id]?.failure?.code == .connectionClosed)
            #expect(count.load(ordering: .relaxed) == 5)
            await queue.shutdown()
        }
    }
}
