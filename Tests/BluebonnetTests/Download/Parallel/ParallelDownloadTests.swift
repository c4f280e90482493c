// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(2))) struct ParallelDownloadTests {
    /// A policy that divides small files.
    static func policy(_ parallelism: Int = 3, smallest: Int64 = 4) -> DownloadPolicy {
        var policy = DownloadPolicy.resuming
        policy.parallelism = parallelism
        policy.smallestRangeByteCount = smallest
        return policy
    }

    /// A server that says that it does ranges.
    static func origin(_ byteCount: Int64 = 64) -> RangeOrigin {
        RangeOrigin(byteCount: byteCount, fields: [.acceptRanges: "bytes"])
    }

    @Test func `a file comes over several connections, each byte once`() async throws {
        try await DownloadScene.run { scene in
            let origin = Self.origin(8 << 20)
            // No response brings the parts of the others, because each is held until all have begun.
            let gate = Gate()
            let served = scene.serve("/file", { origin.response(to: $0, .hold(.afterBody(64 * 1024), until: gate)) })
            let monitor = TransferMonitor()
            let steps = Task {
                var steps: [Int64] = []
                for await progress in monitor.download {
                    steps.append(progress.completed)
                    if progress.completed >= 4 * 64 * 1024 { gate.open() }
                }
                return steps
            }
            var policy = Self.policy(4, smallest: 512 * 1024)
            policy.digest = try ContentDigest(.sha256, hexadecimal: await origin.sha256)
            let file = try await scene.session.download(
                scene.request(),
                to: scene.directory.file("a"),
                policy: policy,
                monitor: monitor
            )
            #expect(file.byteCount == origin.byteCount)
            #expect(file.rangeCount >= 4)
            #expect(file.verifiedDigests.count == 1)
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
            #expect(Set(served.requests.map(\.connectionID)).count >= 4)
            #expect(served.requests[0].headers[.range] == nil)
            #expect(served.requests.dropFirst().allSatisfy { $0.headers[.ifRange] == origin.entityTag })
            let completed = await steps.value
            #expect(completed == completed.sorted())
            #expect(completed.last == origin.byteCount)
        }
    }

    /// What keeps a download in one piece.
    static let undivided: [(String, RangeOrigin)] = [
        ("no Accept-Ranges", RangeOrigin()),
        ("no entity tag", RangeOrigin(entityTag: nil, fields: [.acceptRanges: "bytes"])),
        ("a weak tag", RangeOrigin(entityTag: #"W/"a""#, fields: [.acceptRanges: "bytes"])),
        ("no length", RangeOrigin(fields: [.acceptRanges: "bytes"], framing: .chunked(byteCount: 7))),
        ("no ranges", RangeOrigin(fields: [.acceptRanges: "none"])),
        ("a short file", RangeOrigin(byteCount: 7, fields: [.acceptRanges: "bytes"])),
    ]

    @Test(arguments: undivided.map(\.0))
    func `a file that cannot be divided comes in one piece`(_ name: String) async throws {
        let origin = try #require(Self.undivided.first { $0.0 == name }).1
        try await DownloadScene.run { scene in
            let served = scene.serve("/file", { origin.response(to: $0) })
            let file = try await scene.download(policy: Self.policy())
            #expect(file.rangeCount == 1)
            #expect(served.ranges == [nil])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `the first response may be cut at any byte`() async throws {
        try await DownloadScene.run { scene in
            let origin = Self.origin()
            for cut in 0..<origin.byteCount {
                scene.server.respond(to: "/\(cut)") { request in
                    origin.response(to: request, request.headers[.range] == nil ? .close(.afterBody(cut)) : nil)
                }
                let file = try await scene.download("/\(cut)", policy: Self.policy())
                #expect(file.restart == nil)
                #expect(try scene.directory.contents("a") == origin.bytes)
                #expect(try scene.directory.names == ["a"])
                try FileManager.default.removeItem(at: scene.directory.file("a"))
            }
        }
    }

    @Test(arguments: ["close", "reset"])
    func `every part may be cut at any byte, and the download goes on with what it has`(_ effect: String) async throws {
        try await DownloadScene.run { scene in
            let origin = Self.origin()
            for cut in Int64(0)..<17 {
                let path = "/\(cut)"
                let moment = SocketEffect.Moment.afterBody(cut)
                let isCut = Recorder<Bool>()
                scene.server.respond(to: path) { request in
                    // All of the first attempt, and nothing of the second one.
                    origin.response(
                        to: request,
                        isCut.elements.isEmpty ? (effect == "close" ? .close(moment) : .reset(moment)) : nil
                    )
                }
                var attempts = 0
                while try !scene.directory.names.contains("a") {
                    do {
                        _ = try await scene.download(path, policy: Self.policy())
                    } catch let error as SessionError {
                        #expect([.connectionClosed, .incompleteDownload].contains(error.code))
                        let written = error.downloadRemains?.byteCount ?? 0
                        #expect(written < origin.byteCount)
                        isCut.record(true)
                    }
                    attempts += 1
                    try #require(attempts < 5)
                }
                #expect(try scene.directory.contents("a") == origin.bytes)
                #expect(try scene.directory.names == ["a"])
                try FileManager.default.removeItem(at: scene.directory.file("a"))
            }
        }
    }

    @Test func `a download with holes fetches what is missing, and nothing else`() async throws {
        try await DownloadScene.run { scene in
            let origin = Self.origin(400_000)
            let isStalled = Recorder<Bool>()
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, isStalled.elements.isEmpty ? .stall(.afterBody(20_000)) : nil) }
            )
            let monitor = TransferMonitor()
            let request = try scene.request()
            let task = Task {
                try await scene.session.download(
                    request,
                    to: scene.directory.file("a"),
                    policy: Self.policy(4, smallest: 50_000),
                    monitor: monitor
                )
            }
            for await progress in monitor.download where progress.completed == 80_000 { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let name = ResumableDownloadTests.partialName
            #expect(try scene.directory.names == [name, name + ".journal"])
            isStalled.record(true)
            let before = served.requests.count
            // One response after the other fills the holes where no more are wanted.
            let file = try await scene.download(policy: Self.policy(1))
            #expect(file.resumedOffset == 80_000)
            #expect(file.restart == nil)
            #expect(try scene.directory.contents("a") == origin.bytes)
            let ranges = served.ranges.dropFirst(before).compactMap { $0 }
            #expect(
                Set(ranges) == [
                    "bytes=20000-99999", "bytes=120000-199999", "bytes=220000-299999", "bytes=320000-399999",
                ]
            )
        }
    }

    @Test func `bytes that came in one piece are continued in several`() async throws {
        try await DownloadScene.run { scene in
            let origin = Self.origin(1 << 20)
            let gate = Gate()
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(200_000))) },
                { origin.response(to: $0, .hold(.afterBody(10_000), until: gate)) }
            )
            #expect(try await scene.failing().downloadRemains?.byteCount == 200_000)
            let file = try await scene.download(opening: gate, at: 230_000, policy: Self.policy(3, smallest: 100_000))
            #expect(file.resumedOffset == 200_000)
            #expect(file.rangeCount >= 3)
            #expect(served.ranges[1] == "bytes=200000-")
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `a wrong digest leaves no file`() async throws {
        try await DownloadScene.run { scene in
            let origin = Self.origin(100_000)
            _ = scene.serve("/file", { origin.response(to: $0) })
            var policy = Self.policy(3, smallest: 10_000)
            policy.digest = try ContentDigest(.sha256, bytes: [UInt8](repeating: 1, count: 32))
            let error = try await scene.failing(policy: policy)
            #expect(error.code == .digestMismatch)
            #expect(try scene.directory.names.isEmpty)
        }
    }

    @Test func `a download without resumption leaves nothing behind`() async throws {
        try await DownloadScene.run { scene in
            let origin = Self.origin(100_000)
            _ = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(1_000))) })
            var policy = Self.policy(3, smallest: 10_000)
            policy.resume = .never
            let error = try await scene.failing(policy: policy)
            #expect(error.downloadRemains == nil)
            #expect(try scene.directory.names.isEmpty)
        }
    }
}
