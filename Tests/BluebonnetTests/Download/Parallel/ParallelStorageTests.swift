// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// What the file system and the limits of a session can do to a download in parts.
@Suite(.timeLimit(.minutes(1))) struct ParallelStorageTests {
    private static let origin = RangeOrigin(byteCount: 200_000, fields: [.acceptRanges: "bytes"])
    private static let policy = ParallelDownloadTests.policy(3, smallest: 20_000)

    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small file system takes rights that this process lacks"))
    func `a disk without room for the whole is an error at once, and loses nothing`() async throws {
        try await SmallDisk.with { disk in
            try await DownloadScene.run { scene in
                let served = scene.serve(
                    "/file",
                    { Self.origin.response(to: $0, .close(.afterBody(60_000))) },
                    // Slowly: a response that has come whole is not divided.
                    { Self.origin.response(to: $0, .throttle(byteCount: 10_000, every: .milliseconds(20))) }
                )
                let ballast = disk.appending(path: "ballast")
                try Data(repeating: 1, count: 128 * 1024).write(to: ballast)
                let destination = disk.appending(path: "a")
                var codes: [SessionError.Code?] = []
                for policy in [DownloadPolicy.resuming, Self.policy] {
                    let error = await #expect(throws: SessionError.self) {
                        try await scene.session.download(scene.request(), to: destination, policy: policy)
                    }
                    codes.append(error?.code)
                    #expect(error?.downloadRemains?.byteCount == 60_000)
                }
                #expect(codes == [.connectionClosed, .storageFull])
                try FileManager.default.removeItem(at: ballast)
                let file = try await scene.session.download(scene.request(), to: destination, policy: Self.policy)
                #expect(file.resumedOffset == 60_000, "\(served.ranges)")
                #expect(served.ranges.prefix(3) == [nil, "bytes=60000-", "bytes=60000-"])
                #expect(try Data(contentsOf: destination) == Self.origin.bytes)
            }
        }
    }

    @Test func `a second download to the same destination is refused while parts arrive`() async throws {
        try await DownloadScene.run { scene in
            let gate = Gate()
            _ = scene.serve("/file", { Self.origin.response(to: $0, .hold(.afterBody(10_000), until: gate)) })
            let monitor = TransferMonitor()
            let request = try scene.request()
            let first = Task {
                try await scene.session.download(
                    request,
                    to: scene.directory.file("a"),
                    policy: Self.policy,
                    monitor: monitor
                )
            }
            for await progress in monitor.download where progress.completed > 0 { break }
            let error = try await scene.failing(policy: Self.policy)
            #expect(error.code == .destinationInUse)
            gate.open()
            #expect(try await first.value.byteCount == 200_000)
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
        }
    }

    @Test(arguments: [DownloadPolicy.Durability.none, .commit, .journal(every: 10_000), .journal(every: -1)])
    func `parts go on with every durability`(_ durability: DownloadPolicy.Durability) async throws {
        try await DownloadScene.run { scene in
            let isBroken = Recorder<Bool>()
            _ = scene.serve(
                "/file",
                { Self.origin.response(to: $0, isBroken.elements.isEmpty ? .close(.afterBody(15_000)) : nil) }
            )
            var policy = Self.policy
            policy.durability = durability
            let written = try await scene.failing(policy: policy).downloadRemains?.byteCount ?? 0
            #expect(written >= 15_000)
            let name = "\(ResumableDownloadTests.partialName).journal"
            let journal = try #require(DownloadJournal(Array(try scene.directory.contents(name))))
            #expect(journal.usableSpans(of: 200_000, boot: journal.boot).reduce(0) { $0 + $1.to - $1.from } == written)
            // After a loss of power, what was synchronized counts, if anything was.
            let synchronized = journal.usableSpans(of: 200_000, boot: nil)
            if case .journal = durability { #expect(!synchronized.isEmpty) } else { #expect(synchronized.isEmpty) }
            isBroken.record(true)
            #expect(try await scene.download(policy: policy).resumedOffset == written)
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
        }
    }

    @Test func `room without bytes is not counted as what is left`() async throws {
        try await DownloadScene.run { scene in
            let isBroken = Recorder<Bool>()
            _ = scene.serve(
                "/file",
                {
                    isBroken.elements.isEmpty
                        ? Self.origin.response(to: $0, .close(.afterBody(15_000)))
                        : ScriptedResponse(effect: .close(.beforeResponse))
                }
            )
            let written = try #require(try await scene.failing(policy: Self.policy).downloadRemains?.byteCount)
            #expect(written < 200_000)
            isBroken.record(true)
            for policy in [Self.policy, .resuming] {
                #expect(try await scene.failing(policy: policy).downloadRemains?.byteCount == written)
            }
        }
    }

    @Test func `what follows a download in parts in one piece counts for the next one, too`() async throws {
        try await DownloadScene.run { scene in
            let gate = Gate()
            _ = scene.serve(
                "/file",
                { Self.origin.response(to: $0, .close(.afterBody(60_000))) },
                { Self.origin.response(to: $0, .hold(.afterBody(50_000), until: gate)) }
            )
            let name = ResumableDownloadTests.partialName
            #expect(try await scene.failing(policy: .resuming).downloadRemains?.byteCount == 60_000)
            // As a download in parts leaves it whose last part came before it was killed.
            let file = scene.directory.file("\(name).journal")
            var journal = try #require(DownloadJournal(Array(try Data(contentsOf: file))))
            journal.written = [.init(from: 0, to: 60_000)]
            try Data(try journal.encoded()).write(to: file)

            let monitor = TransferMonitor()
            let (session, request, destination) = (scene.session, try scene.request(), scene.directory.file("a"))
            let download = Task {
                try await session.download(request, to: destination, policy: .resuming, monitor: monitor)
            }
            for await progress in monitor.download where progress.completed >= 110_000 { break }
            // What a process that is killed now leaves for the next one: what was counted is written a moment later, and its last buffer is lost.
            var usable: Int64 = 0
            while usable <= 90_000, !Task.isCancelled {
                let left = try #require(DownloadJournal(Array(try Data(contentsOf: file))))
                let stored = Int64(try scene.directory.contents(name).count)
                usable = left.usableSpans(of: stored, boot: left.boot).reduce(0) { $0 + $1.to - $1.from }
                await Task.yield()
            }
            #expect(usable > 90_000)
            gate.open()
            #expect(try await download.value.resumedOffset == 60_000)
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
        }
    }

    @Test(.bug(id: "F298"))
    func `what follows a download in parts in one piece of the same call counts for the next one, too`() async throws {
        var configuration = Session.Configuration()
        configuration.retries = .idempotent(attempts: 2)
        configuration.retries.backoff = .none
        try await DownloadScene.run(configuration) { (scene: DownloadScene) async throws in
            let origin = RangeOrigin(byteCount: 100_000, fields: [.acceptRanges: "bytes"])
            let isWhole = Recorder<Bool>()
            let served = scene.serve("/file") { request in
                guard isWhole.elements.isEmpty else { return origin.response(to: request) }
                return switch request.headers[.range] {
                case nil: origin.response(to: request, .close(.afterBody(30_000)))
                // What is missing then is not worth a second part.
                case "bytes=30000-": origin.response(to: request, .close(.afterBody(20_000)))
                default: origin.response(to: request, .close(.afterHead))
                }
            }
            let policy = ParallelDownloadTests.policy(2, smallest: 40_000)
            #expect(try await scene.failing(policy: policy).downloadRemains?.byteCount == 50_000)
            #expect(served.ranges.contains("bytes=50000-99999"))
            #expect(served.ranges.contains("bytes=30000-"))
            isWhole.record(true)
            #expect(try await scene.download().resumedOffset == 50_000)
            #expect(served.ranges.last == "bytes=50000-")
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `a pool of one connection brings one part after the other`() async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/file") { Self.origin.response(to: $0) }
            let directory = try TemporaryDirectory()
            var engine = NIOTransport.Configuration()
            engine.proxy = ProxyConfiguration.direct
            engine.pool.maximumConnectionsPerOrigin = 1
            let session = Session(transport: NIOTransport(configuration: engine))
            let request = Request(url: try Peer.url("\(server.url)/file"))
            let file = try await session.download(request, to: directory.file("a"), policy: Self.policy)
            #expect(file.byteCount == 200_000)
            #expect(try directory.contents("a") == Self.origin.bytes)
            await session.transport.shutdown()
        }
    }

    @Test func `a task that is cancelled gives resume data for what its parts have`() async throws {
        try await DownloadScene.run { scene in
            let isStalled = Recorder<Bool>()
            _ = scene.serve(
                "/file",
                { Self.origin.response(to: $0, isStalled.elements.isEmpty ? .stall(.afterBody(10_000)) : nil) }
            )
            var policy = Self.policy
            policy.resume = .never
            let task = scene.session.downloadTask(
                with: try scene.request(),
                to: scene.directory.file("a"),
                policy: policy
            )
            task.resume()
            for await progress in task.downloadProgress where progress.completed == 30_000 { break }
            let resumeData = try #require(await task.cancelProducingResumeData())
            #expect(resumeData.byteCount == 30_000)
            isStalled.record(true)
            let later = scene.session.downloadTask(resumeData: resumeData, with: try scene.request(), policy: policy)
            later.resume()
            let file = try await later.value
            #expect(file.resumedOffset == 30_000)
            #expect(file.restart == nil)
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `each part is a call of its own for observers`() async throws {
        var configuration = Session.Configuration()
        let events = PartEvents()
        configuration.observers = [events]
        try await DownloadScene.run(configuration) { scene in
            let gate = Gate()
            _ = scene.serve("/file", { Self.origin.response(to: $0, .hold(.afterBody(10_000), until: gate)) })
            let file = try await scene.download(opening: gate, at: 30_000, policy: Self.policy)
            let (started, ended, written) = events.counts
            #expect(file.rangeCount >= 3)
            #expect(started >= file.rangeCount)
            #expect(ended == started)
            #expect(written == 200_000)
        }
    }
}

/// Counts the calls that have begun and ended, and the bytes that were written.
private final class PartEvents: SessionObserver {
    private let recorder = Recorder<(started: Int, ended: Int, written: Int)>()

    var counts: (started: Int, ended: Int, written: Int) {
        self.recorder.elements.reduce((0, 0, 0)) { ($0.0 + $1.started, $0.1 + $1.ended, $0.2 + $1.written) }
    }

    func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .callStarted: self.recorder.record((1, 0, 0))
        case .callEnded, .callFailed, .callCancelled: self.recorder.record((0, 1, 0))
        case .download(.wrote(let count, _, _)): self.recorder.record((0, 0, count))
        default: break
        }
    }
}
