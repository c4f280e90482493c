// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

/// Attempts that fail, secrets, and disks that do not do what they should.
@Suite(.timeLimit(.minutes(1))) struct TransferQueueFailureTests {
    private static let origin = RangeOrigin(byteCount: 200_000, fields: [.acceptRanges: "bytes"])

    /// Waits of a minute, exactly.
    private static var patient: TransferQueue.Options {
        var options = TransferQueue.Options()
        options.retries.backoff = .init(initial: .seconds(60), maximum: .seconds(60))
        options.retries.surroundings.random = { 1 }
        options.retries.maximumAttempts = 3
        return options
    }

    @Test func `a wait goes on after a restart, and the attempts are counted over both`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([
                { _ in ScriptedResponse(status: .serviceUnavailable) },
                { _ in ScriptedResponse(status: .serviceUnavailable) },
                { _ in ScriptedResponse(status: .serviceUnavailable) }, { Self.origin.response(to: $0) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let clock = ManualSessionClock()
            let start = Date(timeIntervalSince1970: 1_800_000_000)
            var options = Self.patient
            options.now = { start }
            let queue = try await scene.open(options, clock: clock.clock)
            let id = try await queue.add(scene.download())
            let first = try await queue.wait(for: id) { $0.failedAttemptCount == 1 }
            #expect(first.state == .waiting)
            #expect(first.nextStart == start.addingTimeInterval(60))
            #expect(first.failure?.code == .unacceptableStatus)
            #expect(first.failure?.status == 503)
            await queue.shutdown()

            options.now = { start.addingTimeInterval(20) }
            let next = try await scene.open(options, clock: clock.clock)
            #expect(next[id]?.failedAttemptCount == 1)
            clock.advance(by: .seconds(39))
            try await next.rescan()
            #expect(served.requests.count == 1)
            clock.advance(by: .seconds(1))
            try await next.wait(for: id) { $0.failedAttemptCount == 2 }
            #expect(served.requests.count == 2)
            // A program may be less patient.
            try await next.resume(id)
            try await next.wait(for: id) { $0.failedAttemptCount == 1 }
            #expect(served.requests.count == 3)
            try await next.resume(id)
            try await next.waitUntilIdle()
            #expect(next[id]?.state == .finished)
            #expect(next[id]?.failure == nil)
            await next.shutdown()
        }
    }

    @Test func `after the last attempt a transfer has failed, and says so after a restart`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([{ _ in ScriptedResponse(status: .badGateway) }])
            scene.server.respond(to: "/file") { served.serve($0) }
            var options = TransferQueue.Options.quick
            options.retries.maximumAttempts = 3
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            #expect(served.requests.count == 3)
            await queue.shutdown()
            let next = try await scene.open(options)
            try await next.waitUntilIdle()
            let transfer = try #require(next[id])
            #expect(transfer.state == .failed)
            #expect(transfer.failure?.code == .unacceptableStatus)
            #expect(transfer.failure?.status == 502)
            #expect(transfer.failure?.reason.isEmpty == false)
            #expect(served.requests.count == 3)
            await next.shutdown()
            #expect(try scene.directory.names == ["queue"])
        }
    }

    @Test func `a response that is refused says nothing about the bytes of the file`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([
                { Self.origin.response(to: $0, .close(.afterBody(60_000))) },
                { _ in ScriptedResponse(status: .serviceUnavailable, body: "try again later on.") },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let clock = ManualSessionClock()
            let queue = try await scene.open(Self.patient, clock: clock.clock)
            let id = try await queue.add(scene.download())
            let broken = try await queue.wait(for: id) { $0.failure != nil }
            #expect(broken.progress.total == 200_000)
            #expect(broken.progress.completed > 0)
            try await queue.resume(id)
            let refused = try await queue.wait(for: id) { $0.failure?.status == 503 }
            #expect(refused.progress == broken.progress)
            await queue.shutdown()
            let next = try await scene.open(Self.patient, clock: clock.clock)
            #expect(next[id]?.progress == broken.progress)
            await next.shutdown()
        }
    }

    @Test func `attempts that bring bytes are not counted together`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { request in
                Self.origin.response(to: request, .close(.afterBody(30_000)))
            }
            var options = TransferQueue.Options.quick
            options.retries.maximumAttempts = 2
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
            await queue.shutdown()
        }
    }

    /// A status, and whether another attempt follows it.
    @Test(arguments: [(404, 1), (401, 1), (403, 1), (410, 1), (500, 2), (408, 2), (429, 2)])
    func `a status that will not go away ends a transfer at once`(_ status: Int, _ attempts: Int) async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([{ _ in ScriptedResponse(status: .init(code: status)) }])
            scene.server.respond(to: "/file") { served.serve($0) }
            var options = TransferQueue.Options.quick
            options.retries.maximumAttempts = 2
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .failed)
            #expect(served.requests.count == attempts)
            await queue.shutdown()
        }
    }

    @Test func `a priority that is set while an attempt ends is kept`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { _ in ScriptedResponse(status: .serviceUnavailable) }
            let (asked, go) = (Latch(), Latch())
            var options = Self.patient
            options.retries = RetryPolicy(attempts: 3) { _ in
                asked.open()
                await go.wait()
                return .stop
            }
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            await asked.wait()
            try await queue.setPriority(.high, of: id)
            go.open()
            try await queue.waitUntilIdle()
            #expect(queue[id]?.priority == .high)
            await queue.shutdown()
            #expect(try TransferFolder(scene.folder).contents().transfers.map(\.priority) == [.high])
        }
    }

    @Test func `a clock that wakes too early is asked again`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([
                { _ in ScriptedResponse(status: .serviceUnavailable) }, { Self.origin.response(to: $0) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let manual = ManualSessionClock()
            let isEarly = Atomic(true)
            let clock = SessionClock(
                now: { manual.clock.now },
                sleep: { deadline in
                    if isEarly.exchange(false, ordering: .relaxed) { return }
                    try await manual.clock.sleep(until: deadline)
                }
            )
            let queue = try await scene.open(Self.patient, clock: clock)
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.failedAttemptCount == 1 }
            await manual.waitForSleeps(1)
            manual.advance(by: .seconds(60))
            try await queue.wait(for: id) { $0.state == .finished }
            await queue.shutdown()
        }
    }

    // MARK: Secrets

    @Test func `secrets are asked for again at each attempt, and no byte of them reaches the disk`() async throws {
        try await TransferQueueScene.run { scene in
            let secrets = ["hunter2", "c00kie", "s1gned", "Bearer", "authorization"]
            let gate = Gate()
            let served = ServedSteps([
                { Self.origin.response(to: $0, .close(.afterBody(50_000))) },
                { Self.origin.response(to: $0, .hold(.afterBody(50_000), until: gate)) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let asked = Atomic(0)
            let prepare: TransferQueue.Preparation = { request, transfer in
                asked.wrappingAdd(1, ordering: .relaxed)
                #expect(request.headers.isEmpty)
                request.headers[.authorization] = "Bearer hunter2"
                request.headers[.cookie] = "id=c00kie"
                request.url = try Peer.url(transfer.url.absoluteString + "?signature=s1gned")
            }
            let queue = try await scene.open(prepare: prepare)
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.progress.completed == 100_000 }
            #expect(asked.load(ordering: .relaxed) == 2)
            // What is looked for would be found.
            #expect(try scene.holds("\(id)"))
            #expect(try scene.holds("/file"))
            for secret in secrets { #expect(try !scene.holds(secret), "\(secret)") }
            await queue.shutdown()
            gate.open()
            for secret in secrets { #expect(try !scene.holds(secret), "\(secret)") }
            for request in served.requests {
                #expect(request.headers[.authorization] == "Bearer hunter2")
                #expect(request.target == "/file?signature=s1gned")
            }
            let next = try await scene.open()
            let refused = await #expect(throws: SessionError.self) {
                try await next.add(.download(Peer.url("https://ada:hunter2@h/"), to: scene.file))
            }
            #expect(refused?.code == .invalidRequest)
            try await next.cancel(id)
            await next.shutdown()
            #expect(try !scene.holds("hunter2"))
        }
    }

    struct Refusal: Error {}

    @Test func `a function that prepares requests can end a transfer, for good or for now`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([{ Self.origin.response(to: $0) }])
            scene.server.respond(to: "/file") { served.serve($0) }
            let count = Atomic(0)
            let queue = try await scene.open { _, transfer in
                if transfer.label == "bad" { throw Refusal() }
                if transfer.label == "cancelled" { throw CancellationError() }
                if count.wrappingAdd(1, ordering: .relaxed).newValue == 1 {
                    throw SessionError(.connectFailed, reason: "no token server")
                }
            }
            let good = try await queue.add(scene.download())
            let bad = try await queue.add(.download(scene.url(), to: scene.directory.file("b"), label: "bad"))
            let ended = try await queue.add(.download(scene.url(), to: scene.directory.file("c"), label: "cancelled"))
            try await queue.waitUntilIdle()
            #expect(queue[good]?.state == .finished)
            #expect(queue[bad]?.state == .failed)
            #expect(queue[bad]?.failure?.code == .interceptorFailed)
            #expect(queue[ended]?.state == .failed)
            #expect(served.requests.count == 1)
            await queue.shutdown()
            #expect(try scene.directory.names == ["a", "queue"])
        }
    }

    // MARK: Ends and disks

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
            scene.server.respond(to: "/file") { Self.origin.response(to: $0) }
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
                Self.origin.response(to: request, state == .cancelled ? .stall(.afterBody(1000)) : nil)
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
            #expect(try TransferFolder(scene.folder).contents().transfers.isEmpty)
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
                #expect(try TransferFolder(folder).contents().transfers.map(\.state) == [.running])
                let next = try await TransferQueue(at: folder, session: scene.session, options: .quick)
                try await next.waitUntilIdle()
                await next.shutdown()
            }
            // The attempt may still be about to end, and tidies up then.
            #expect(try await Patience.holds { try scene.directory.names == ["queue"] })
            let states = try TransferFolder(folder).contents().transfers.map(\.state)
            #expect(states == (recovery == .removal ? [] : [.finished]))
            #expect(scene.origin.requests.count == requestCount)
            await queue.shutdown()
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable)) func `on a full disk nothing is added and nothing is lost`() async throws
    {
        try await SmallDisk.with { disk in
            let folder = try TransferFolder(disk.appending(path: "queue"))
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
