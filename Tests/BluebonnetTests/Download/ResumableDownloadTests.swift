// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct ResumableDownloadTests {
    static let partialName = ".a.bluebonnet-part"

    @Test(.bug(id: "F171"), arguments: [ScriptedResponse.Framing.length, .chunked(byteCount: 7)])
    func `a download that is cut at any byte goes on there`(_ framing: ScriptedResponse.Framing) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(framing: framing)
            for cut in 0...origin.byteCount - 1 {
                let path = "/\(cut)"
                let served = scene.serve(origin, cutAt: cut, at: path)
                let error = try await scene.failing(path)
                #expect(error.code == .connectionClosed)
                #expect(error.downloadRemains?.byteCount == (cut == 0 ? nil : cut))
                // Without bytes nothing is left, neither a partial file nor a journal.
                #expect(try scene.directory.names.isEmpty == (cut == 0))
                let file = try await scene.download(path)
                #expect(served.ranges == [nil, cut == 0 ? nil : "bytes=\(cut)-"])
                #expect(file.resumedOffset == cut)
                #expect(file.byteCount == origin.byteCount)
                #expect(file.restart == nil)
                #expect(try scene.directory.names == ["a"])
                #expect(try scene.directory.contents("a") == origin.bytes)
                try FileManager.default.removeItem(at: scene.directory.file("a"))
            }
        }
    }

    @Test(arguments: [
        SocketEffect.close(.afterHead), .reset(.afterBody(200_000)), .drop(.afterBody(100_000)),
        .close(.afterBody(16_384)), .close(.afterBody(299_990)),
    ])
    func `a download survives every interruption of a row`(_ effect: SocketEffect) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 300_000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, effect) },
                { origin.response(to: $0, .close(.afterBody(1))) },
                { origin.response(to: $0, .close(.beforeResponse)) },
                { origin.response(to: $0) }
            )
            let first = try await scene.failing().downloadRemains?.byteCount ?? 0
            let second = try await scene.failing().downloadRemains?.byteCount ?? 0
            #expect(second == first + 1)
            #expect(try await scene.failing().downloadRemains?.byteCount == second)
            #expect(try await scene.download().resumedOffset == second)
            // A reset connection is tried once more by the engine where that is safe.
            #expect(served.ranges.last == "bytes=\(second)-")
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `a stalled download is cancelled and goes on`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .stall(.afterBody(50_000))) },
                { origin.response(to: $0) }
            )
            let monitor = TransferMonitor()
            let request = try scene.request()
            let task = Task {
                try await scene.session.download(
                    request,
                    to: scene.directory.file("a"),
                    policy: .resuming,
                    monitor: monitor
                )
            }
            for await progress in monitor.download where progress.completed == 50_000 { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try scene.directory.names == [Self.partialName, Self.partialName + ".journal"])
            #expect(try await scene.download().resumedOffset == 50_000)
            #expect(served.ranges == [nil, "bytes=50000-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `a fresh query for the same path goes on`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin()
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(20))) },
                { origin.response(to: $0) }
            )
            try await scene.failing("/file?signature=1")
            #expect(try await scene.download("/file?signature=2").resumedOffset == 20)
            #expect(served.ranges == [nil, "bytes=20-"])
        }
    }

    @Test(arguments: [false, true])
    func `a redirect to another origin in the middle goes on only with a digest`(_ hasDigest: Bool) async throws {
        try await DownloadScene.run { scene in
            try await TestServer.withServer { mirror in
                let origin = RangeOrigin()
                // With a digest the mirror has the same bytes, without one it has others under the same tag.
                let other = hasDigest ? origin : RangeOrigin(shift: 99)
                mirror.respond(to: "/file") { other.response(to: $0) }
                let location = "\(mirror.url)/file"
                _ = scene.serve(
                    "/file",
                    { origin.response(to: $0, .close(.afterBody(20))) },
                    { _ in ScriptedResponse(status: .found, headers: [.location: location]) }
                )
                var policy = DownloadPolicy.resuming
                if hasDigest { policy.digest = try ContentDigest(.sha256, hexadecimal: await origin.sha256) }
                try await scene.failing(policy: policy)
                let file = try await scene.download(policy: policy)
                #expect(file.restart == (hasDigest ? nil : .otherSource))
                #expect(file.resumedOffset == (hasDigest ? 20 : 0))
                #expect(try scene.directory.contents("a") == other.bytes)
            }
        }
    }

    @Test func `a whole that only lacked its name is asked for its last byte`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin()
            let served = scene.serve("/file", { origin.response(to: $0) })
            try await self.leave(origin, origin.bytes, in: scene)
            let file = try await scene.download()
            #expect(served.ranges == ["bytes=63-"])
            #expect(file.resumedOffset == 63)
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `a whole of unknown length ends with a range that cannot be satisfied`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(framing: .chunked(byteCount: 10))
            let served = scene.serve(
                "/file",
                // All bytes, and not the last chunk.
                { origin.response(to: $0, .close(.afterBody(64))) },
                { origin.response(to: $0) }
            )
            try await scene.failing()
            let file = try await scene.download()
            #expect(served.ranges == [nil, "bytes=64-"])
            #expect(file.byteCount == 64)
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(.bug(id: "F339")) func `a file that is found complete counts all of its bytes, and its response is no error`()
        async throws
    {
        let events = Recorder<DownloadEvent>()
        var configuration = Session.Configuration()
        configuration.observers = [DownloadEvents(events)]
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(fields: [.contentEncoding: "br"], framing: .chunked(byteCount: 10))
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(64))) },
                { request in
                    var response = origin.response(to: request)
                    response.headers[.contentEncoding] = nil
                    response.headers[.contentType] = "text/html"
                    response.body = "no such range"
                    return response
                }
            )
            try await scene.failing()
            let monitor = TransferMonitor()
            let file = try await scene.session.download(
                scene.request(),
                to: scene.directory.file("a"),
                policy: .resuming,
                monitor: monitor
            )
            #expect(file.resumedOffset == 64)
            #expect(monitor.download.current == TransferProgress(completed: 64, total: 64))
            #expect(file.response.status == .ok)
            #expect(file.response.headers == [.eTag: #""a""#, .contentEncoding: "br"])
            let isResumed = events.elements.contains { event in
                if case .resumed(at: 64, of: 64) = event { true } else { false }
            }
            #expect(isResumed)
        }
    }

    @Test(.bug(id: "F339")) func `a file that is found complete has a limit of bytes, too`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(framing: .chunked(byteCount: 10))
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(64))) },
                { origin.response(to: $0) }
            )
            try await scene.failing()
            var policy = DownloadPolicy.resuming
            policy.maximumByteCount = 63
            #expect(try await scene.failing(policy: policy).code == .responseTooLarge)
            #expect(try scene.directory.names == [])
        }
    }

    @Test(arguments: [true, false], [1, 4])
    func `a digest of the whole that only the rest has is verified`(_ isRight: Bool, _ parts: Int) async throws {
        try await DownloadScene.run { scene in
            let (origin, other) = (RangeOrigin(byteCount: 200_000), await PatternBytes.sha256(ofFirst: 199_999))
            let text = isRight ? try await origin.sha256 : other
            let digest = try ContentDigest(.sha256, hexadecimal: text)
            let name = try #require(HTTPField.Name("Repr-Digest"))
            var later = origin
            later.fields[name] = "sha-256=:\(digest.bytes.base64EncodedString()):"
            let rest = later
            _ = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(50_000))) }, { rest.response(to: $0) })
            try await scene.failing()
            var policy = DownloadPolicy.resuming
            policy.parallelism = parts
            policy.smallestRangeByteCount = 1000
            if isRight {
                #expect(try await scene.download(policy: policy).verifiedDigests == [digest])
            } else {
                #expect(try await scene.failing(policy: policy).code == .digestMismatch)
            }
        }
    }

    @Test func `bytes that were changed on the disk are found by the digest`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin()
            let policy = DownloadPolicy.resuming(
                expecting: try ContentDigest(.sha256, hexadecimal: await origin.sha256)
            )
            _ = scene.serve("/file", { origin.response(to: $0) })
            try await self.leave(origin, Data(repeating: 0, count: 30), in: scene)
            #expect(try await scene.failing(policy: policy).code == .digestMismatch)
            #expect(try scene.directory.names == [])
            try await self.leave(origin, origin.bytes.prefix(30), in: scene)
            let file = try await scene.download(policy: policy)
            #expect(file.resumedOffset == 30)
            #expect(file.verifiedDigests == [policy.digest])
        }
    }

    /// Leaves a partial file as a killed process would.
    private func leave(_ origin: RangeOrigin, _ bytes: Data, in scene: DownloadScene) async throws {
        let name = "\(Self.partialName).journal"
        let journal = """
            {"version":1,"source":"\(scene.server.url)/file","entityTag":"\\"a\\"","byteCount":\(origin.byteCount),
             "digests":[],"ranges":[],"boot":"\(BootIdentity.current ?? "")"}
            """
        try Data(journal.utf8).write(to: scene.directory.file(name))
        try bytes.write(to: scene.directory.file(Self.partialName))
    }
}

/// Keeps what a session tells of files.
private struct DownloadEvents: SessionObserver {
    let recorder: Recorder<DownloadEvent>

    init(_ recorder: Recorder<DownloadEvent>) { self.recorder = recorder }

    func observe(_ event: CallEvent, of call: Call) {
        if case .download(let event) = event { self.recorder.record(event) }
    }
}
