// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// What a program asks of a queue, over real sockets, with restarts in between.
@Suite(.timeLimit(.minutes(1))) struct TransferQueueTests {
    private static let origin = RangeOrigin(byteCount: 200_000, fields: [.acceptRanges: "bytes"])

    @Test func `a transfer is done, and its record stays until it is removed`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { Self.origin.response(to: $0) }
            let queue = try await scene.open()
            let id = try await queue.add(.download(scene.url(), to: scene.file, label: "weights"))
            try await queue.waitUntilIdle()
            let transfer = try #require(queue[id])
            #expect(transfer.state == .finished)
            #expect(transfer.progress == TransferProgress(completed: 200_000, total: 200_000))
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
            await queue.shutdown()
            let next = try await scene.open()
            #expect(next.transfers.map(\.label) == ["weights"])
            #expect(next[id]?.state == .finished)
            try await next.remove(id)
            #expect(next.transfers.isEmpty)
            await next.shutdown()
            #expect(try TransferDirectory(scene.folder).contents().transfers.isEmpty)
            #expect(try scene.directory.names == ["a", "queue"])
        }
    }

    @Test(.bug(id: "F679"))
    func `a queue counts the transfers that it knows, without listing its folder`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { Self.origin.response(to: $0) }
            let queue = try await scene.open()
            // No queue can use these records.
            for number in 0..<TransferStore.largestCount {
                let name = "\(Transfer.ID(bitPattern: 1, UInt64(number)))\(TransferStore.nameEnding)"
                try Data().write(to: scene.folder.appending(path: name))
            }
            let id = try await queue.add(scene.download())
            #expect(queue[id] != nil)
            await queue.shutdown()
        }
    }

    @Test func `1.3.1 a restarted queue goes on with the bytes that are there`() async throws {
        try await TransferQueueScene.run { scene in
            let gate = Gate()
            let served = ServedSteps([
                { Self.origin.response(to: $0, .hold(.afterBody(100_000), until: gate)) },
                { Self.origin.response(to: $0) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let queue = try await scene.open()
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.progress.completed == 100_000 }
            #expect(queue[id]?.state == .running)
            await queue.shutdown()
            gate.open()
            let listed = try #require(try TransferDirectory(scene.folder).contents().transfers.first)
            #expect(listed.state == .waiting)
            #expect(listed.progress.completed == 100_000)
            #expect(listed.failedAttemptCount == 0)
            let next = try await scene.open()
            try await next.waitUntilIdle()
            #expect(served.ranges == [nil, "bytes=100000-"])
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
            await next.shutdown()
        }
    }

    @Test func `a paused transfer keeps its bytes and does not start again before it is resumed`() async throws {
        try await TransferQueueScene.run { scene in
            let gate = Gate()
            let served = ServedSteps([
                { Self.origin.response(to: $0, .hold(.afterBody(100_000), until: gate)) },
                { Self.origin.response(to: $0) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let queue = try await scene.open()
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.progress.completed == 100_000 }
            try await queue.pause(id)
            #expect(queue[id]?.state == .paused)
            try await queue.waitUntilIdle()
            await queue.shutdown()
            gate.open()
            let next = try await scene.open()
            try await next.waitUntilIdle()
            #expect(next[id]?.state == .paused)
            #expect(served.requests.count == 1)
            try await next.resume(id)
            try await next.waitUntilIdle()
            #expect(served.ranges == [nil, "bytes=100000-"])
            #expect(next[id]?.state == .finished)
            await next.shutdown()
        }
    }

    @Test func `a cancelled transfer leaves no bytes and can be begun again`() async throws {
        try await TransferQueueScene.run { scene in
            let gate = Gate()
            let served = ServedSteps([
                { Self.origin.response(to: $0, .hold(.afterBody(100_000), until: gate)) },
                { Self.origin.response(to: $0) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let queue = try await scene.open()
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.progress.completed == 100_000 }
            try await queue.cancel(id)
            gate.open()
            #expect(queue[id]?.state == .cancelled)
            #expect(queue[id]?.progress.completed == 0)
            #expect(try scene.directory.names == ["queue"])
            try await queue.resume(id)
            try await queue.waitUntilIdle()
            #expect(served.ranges == [nil, nil])
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
            await queue.shutdown()
        }
    }

    @Test func `a transfer that is removed while it is under way leaves nothing`() async throws {
        try await TransferQueueScene.run { scene in
            let gate = Gate()
            scene.server.respond(to: "/file") { Self.origin.response(to: $0, .hold(.afterBody(1000), until: gate)) }
            let queue = try await scene.open()
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.progress.completed > 0 }
            try await queue.remove(id)
            gate.open()
            #expect(queue[id] == nil)
            #expect(try scene.directory.names == ["queue"])
            let error = await #expect(throws: SessionError.self) { try await queue.pause(id) }
            #expect(error?.code == .transferNotFound)
            await queue.shutdown()
            #expect(try TransferDirectory(scene.folder).contents().transfers.isEmpty)
        }
    }

    @Test func `a transfer that two callers give up at once leaves nothing`() async throws {
        try await TransferQueueScene.run { scene in
            let queue = try await scene.open()
            for _ in 0..<20 {
                let gate = Gate()
                scene.server.respond(to: "/file") {
                    Self.origin.response(to: $0, .hold(.afterBody(1000), until: gate))
                }
                let id = try await queue.add(scene.download())
                try await queue.wait(for: id) { $0.progress.completed > 0 }
                async let cancelled: Void? = try? queue.cancel(id)
                async let removed: Void? = try? queue.remove(id)
                _ = await (cancelled, removed)
                gate.open()
                #expect(queue[id] == nil)
                #expect(try scene.directory.names == ["queue"])
            }
            await queue.shutdown()
        }
    }

    @Test func `no more transfers run than the limit says, the highest priority and the oldest first`() async throws {
        let paths = Recorder<String>()
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let gates = [Latch(), Latch(), Latch(), Latch(), Latch()]
        let transport = StubTransport { request in
            let number = Int(request.target.dropFirst()) ?? 0
            paths.record(request.target)
            started.yield()
            await gates[number].wait()
            return TransportResponse(status: .ok, body: ResponseBody(ByteBuffer(string: "x")))
        }
        let directory = try TemporaryDirectory()
        let folder = directory.file("queue")
        let adding = try TransferDirectory(folder)
        for (number, priority) in [(0, Transfer.Priority.low), (1, .normal), (2, .normal), (3, .high), (4, .normal)] {
            try adding.add(
                .download(
                    try Peer.url("http://h/\(number)"),
                    to: directory.file("f\(number)"),
                    priority: priority
                )
            )
        }
        var options = TransferQueue.Options(maximumConcurrentTransfers: 2)
        options.retries = .never
        let queue = try await TransferQueue(at: folder, session: Session(transport: transport), options: options)
        var next = starts.makeAsyncIterator()
        await next.next()
        await next.next()
        #expect(Set(paths.elements) == ["/3", "/1"])
        // The last one overtakes the second.
        try await queue.setPriority(.high, of: queue.transfers[4].id)
        #expect(queue.transfers.filter { $0.state == .running }.count == 2)
        for (gate, following) in [(3, "/4"), (1, "/2"), (4, "/0")] {
            gates[gate].open()
            await next.next()
            #expect(paths.elements.last == following)
        }
        for gate in gates { gate.open() }
        try await queue.waitUntilIdle()
        #expect(queue.transfers.allSatisfy { $0.state == .finished })
        await queue.shutdown()
    }

    // MARK: Changes

    @Test func `1.3.1 a reader of the changes begins with every transfer as it is`() async throws {
        let directory = try TemporaryDirectory()
        let adding = try TransferDirectory(directory.file("queue"))
        let ids = try (0..<3).map { try adding.add(.download(Peer.url("http://h/\($0)"), to: directory.file("\($0)"))) }
        let queue = try await TransferQueue(
            at: adding.url,
            session: Session(transport: StubTransport { _ in try await untilCancelled() })
        )
        var changes = queue.changes.makeAsyncIterator()
        for id in ids {
            let change = await changes.next()
            #expect(change?.id == id)
        }
        try await queue.pause(ids[1])
        guard case .updated(let paused)? = await changes.next() else {
            Issue.record("no change")
            return
        }
        #expect(paused.id == ids[1])
        #expect(paused.state == .paused)
        try await queue.remove(ids[0])
        while let change = await changes.next() {
            if case .removed(let id) = change {
                #expect(id == ids[0])
                break
            }
        }
        await queue.shutdown()
        while await changes.next() != nil {}
    }

    @Test func `a slow reader is kept one change for each transfer, the newest`() throws {
        var mailbox = TransferMailbox()
        let url = try Peer.url("http://h/")
        var transfers = (0..<3).map { number in
            Transfer.download(url, to: URL(filePath: "/a"))
                .identified(by: Transfer.ID(bitPattern: 0, UInt64(number)), added: .now)
        }
        for step in 0..<10_000 {
            transfers[step % 3].progress.completed = Int64(step)
            mailbox.put(.updated(transfers[step % 3]))
        }
        // What came and went meanwhile is nobody's business.
        for number in 3..<10_000 {
            let id = Transfer.ID(bitPattern: 0, UInt64(number))
            mailbox.put(.updated(Transfer.download(url, to: URL(filePath: "/a")).identified(by: id, added: .now)))
            mailbox.put(.removed(id))
        }
        var taken: [Int64] = []
        while case .updated(let transfer)? = mailbox.take() { taken.append(transfer.progress.completed) }
        #expect(taken == [9999, 9997, 9998])
        mailbox.put(.removed(transfers[0].id))
        guard case .removed(let id)? = mailbox.take() else {
            Issue.record("the reader has seen it, and has to know")
            return
        }
        #expect(id == transfers[0].id)
        let last = mailbox.take()
        #expect(last == nil)
    }

    // MARK: Two processes

    @Test func `one queue owns the folder, and others add to it`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { Self.origin.response(to: $0) }
            let queue = try await scene.open()
            let error = await #expect(throws: SessionError.self) { _ = try await scene.open() }
            #expect(error?.code == .transferQueueInUse)
            let id = try TransferDirectory(scene.folder).add(scene.download())
            try await queue.rescan()
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            await queue.shutdown()
            let closed = await #expect(throws: SessionError.self) { try await queue.rescan() }
            #expect(closed?.code == .shutDown)
            await (try scene.open()).shutdown()
        }
    }

    #if os(Linux)
    @Test func `the owner notices what another process adds`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { Self.origin.response(to: $0) }
            let queue = try await scene.open()
            let folder = try TransferDirectory(scene.folder)
            for number in 0..<20 {
                let id = try folder.add(scene.download("/file", "f\(number)"))
                try await queue.wait(for: id) { $0.state == .finished }
            }
            #expect(queue.transfers.count == 20)
            await queue.shutdown()
        }
    }
    #endif

    @Test func `records that cannot be used are reported and left as they are`() async throws {
        try await TransferQueueScene.run { scene in
            let folder = try TransferDirectory(scene.folder)
            let id = try folder.add(scene.download())
            let name = "\(id)\(TransferStore.nameEnding)"
            let record = try String(contentsOf: scene.folder.appending(path: name), encoding: .utf8)
            let later = record.replacingOccurrences(of: "\"version\":1", with: "\"version\":9")
            let files = [
                name: later, "00000000000000000000000000000001.transfer": "{", "notes.transfer": "mine",
                "other": "mine",
            ]
            for (name, text) in files {
                try Data(text.utf8).write(to: scene.folder.appending(path: name))
            }
            let queue = try await scene.open()
            #expect(queue.transfers.isEmpty)
            #expect(
                queue.unreadable.map(\.file.lastPathComponent).sorted() == files.keys.filter { $0 != "other" }.sorted()
            )
            #expect(queue.unreadable.compactMap(\.version) == [9])
            try await queue.rescan()
            #expect(queue.unreadable.count == 3)
            await queue.shutdown()
            #expect(try folder.contents().unreadable.count == 3)
            for (name, text) in files {
                #expect(try String(contentsOf: scene.folder.appending(path: name), encoding: .utf8) == text)
            }
        }
    }
}
