// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// What the file system can do to a download.
@Suite(.timeLimit(.minutes(1))) struct DownloadStorageTests {
    @Test func `of two downloads to one destination one wins, and the other says so`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            let gate = Gate()
            let served = scene.serve("/file", { origin.response(to: $0, .hold(.afterBody(50_000), until: gate)) })
            let monitor = TransferMonitor()
            let request = try scene.request()
            async let first = scene.session.download(
                request,
                to: scene.directory.file("a"),
                policy: .resuming,
                monitor: monitor
            )
            for await progress in monitor.download where progress.completed == 50_000 { break }
            let error = try await scene.failing()
            #expect(error.code == .destinationInUse)
            #expect(error.isRequestSent == false)
            gate.open()
            #expect(try await first.byteCount == 100_000)
            #expect(served.requests.count == 1)
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(arguments: [ScriptedResponse.Framing.length, .chunked(byteCount: 10)])
    func `a limit on the size refuses a file before its first byte, or as soon as it is passed`(
        _ framing: ScriptedResponse.Framing
    ) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(framing: framing)
            _ = scene.serve("/file", { origin.response(to: $0) })
            var policy = DownloadPolicy.resuming
            policy.maximumByteCount = 63
            let error = try await scene.failing(policy: policy)
            #expect(error.code == .responseTooLarge)
            #expect(try scene.directory.names == [])
            policy.maximumByteCount = 64
            let file = try await scene.download(policy: policy)
            #expect(file.byteCount == 64)
        }
    }

    @Test func `a file is private while it is partial, and gets the permissions of a new file`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin()
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(20))) },
                { origin.response(to: $0) }
            )
            try await scene.failing()
            for name in try scene.directory.names { #expect(try self.mode(scene.directory.file(name)) == 0o600) }
            _ = try await scene.download()
            try Data().write(to: scene.directory.file("other"))
            let expected = try self.mode(scene.directory.file("other"))
            #expect(try self.mode(scene.directory.file("a")) == expected)
        }
    }

    @Test func `a link in the place of the partial file is not followed`() async throws {
        try await DownloadScene.run { scene in
            try Data("kept".utf8).write(to: scene.directory.file("target"))
            try FileManager.default.createSymbolicLink(
                at: scene.directory.file(ResumableDownloadTests.partialName),
                withDestinationURL: scene.directory.file("target")
            )
            let error = try await scene.failing()
            #expect(error.code == .destinationUnavailable)
            #expect(error.isRequestSent == false)
            #expect(try scene.directory.contents("target") == Data("kept".utf8))
        }
    }

    @Test func `a finished file whose partial name is left over is not written to`() async throws {
        try await DownloadScene.run { scene in
            // A process was killed after it had linked the file to its name, before it removed the partial name.
            try Data("done".utf8).write(to: scene.directory.file("done"))
            try FileManager.default.linkItem(
                at: scene.directory.file("done"),
                to: scene.directory.file(ResumableDownloadTests.partialName)
            )
            let origin = RangeOrigin()
            _ = scene.serve("/file", { origin.response(to: $0) })
            _ = try await scene.download()
            #expect(try scene.directory.contents("done") == Data("done".utf8))
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(.bug(id: "F493")) func `a partial file that another process has begun is not moved to the destination`()
        async throws
    {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin()
            let partial = scene.directory.file(ResumableDownloadTests.partialName)
            _ = scene.serve(
                "/file",
                {
                    try? FileManager.default.removeItem(at: partial)
                    try? Data("other".utf8).write(to: partial)
                    return origin.response(to: $0)
                }
            )
            let error = try await scene.failing()
            #expect(error.code == .storageFailed)
            #expect(error.reason.contains("removed the partial file"))
            #expect(error.downloadRemains == nil)
            #expect(try scene.directory.names == [ResumableDownloadTests.partialName])
            #expect(try Data(contentsOf: partial) == Data("other".utf8))
        }
    }

    @Test(.bug(id: "F499")) func `a journal that cannot be created is no file at the destination`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin()
            _ = scene.serve("/file", { origin.response(to: $0) })
            let blocked = scene.directory.file(ResumableDownloadTests.partialName + ".journal.new")
            try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: false)
            let error = try await scene.failing()
            #expect(error.code == .storageFailed)
            #expect(error.reason.contains("the journal of the partial file could not be created"))
        }
    }

    /// What has the name of the partial file.
    enum Obstacle: CaseIterable {
        case directory, link, pipe

        func make(at url: URL) throws {
            switch self {
            case .directory: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            case .link: try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "elsewhere")
            case .pipe: #expect(mkfifo(url.path(percentEncoded: false), 0o600) == 0)
            }
        }
    }

    @Test(.bug(id: "F562"), arguments: Obstacle.allCases)
    func `an error about the name of the partial file says that name`(_ obstacle: Obstacle) async throws {
        try await DownloadScene.run { scene in
            try obstacle.make(at: scene.directory.file(ResumableDownloadTests.partialName))
            let error = try await scene.failing()
            #expect(error.code == .destinationUnavailable)
            #expect(error.reason.contains("the partial file “\(ResumableDownloadTests.partialName)”"))
        }
    }

    @Test func `a folder that vanishes is an error, and nothing is left elsewhere`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin()
            let folder = scene.directory.file("folder")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            _ = scene.serve(
                "/file",
                {
                    try? FileManager.default.removeItem(at: folder)
                    return origin.response(to: $0)
                }
            )
            let error = await #expect(throws: SessionError.self) {
                try await scene.session.download(scene.request(), to: folder.appending(path: "a"), policy: .resuming)
            }
            #expect(error?.code == .destinationUnavailable)
            #expect(error?.downloadRemains == nil)
            #expect(try scene.directory.names == [])
        }
    }

    @Test(arguments: [DownloadPolicy.Durability.none, .commit, .journal(every: 1000), .journal(every: -1)])
    func `a download goes on with every durability`(_ durability: DownloadPolicy.Durability) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 40_000)
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(20_000))) },
                { origin.response(to: $0) }
            )
            let policy = DownloadPolicy(resume: .always, durability: durability)
            try await scene.failing(policy: policy)
            let name = "\(ResumableDownloadTests.partialName).journal"
            let journal = try #require(DownloadJournal(Array(try scene.directory.contents(name))))
            if case .journal = durability {
                #expect(journal.ranges.count == 1)
                #expect((1...20_000).contains(journal.ranges.first?.to ?? 0))
            } else {
                #expect(journal.ranges.isEmpty)
            }
            #expect(try await scene.download(policy: policy).resumedOffset == 20_000)
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(arguments: ["\u{e9}", "\u{1F33C}", "n"])
    func `names of the greatest length go on, each with its own file`(_ character: String) async throws {
        try await DownloadScene.run { scene in
            let stem = String(repeating: character, count: (255 - 2) / character.utf8.count)
            let origin = RangeOrigin()
            for name in [stem + "1", stem + "2"] {
                _ = scene.serve(
                    "/file",
                    { origin.response(to: $0, .close(.afterBody(20))) },
                    { origin.response(to: $0) }
                )
                let destination = scene.directory.file(name)
                await #expect(throws: SessionError.self) {
                    try await scene.session.download(scene.request(), to: destination, policy: .resuming)
                }
                #expect(try scene.directory.names.allSatisfy { $0.utf8.count <= 255 })
                let file = try await scene.session.download(scene.request(), to: destination, policy: .resuming)
                #expect(file.resumedOffset == 20)
            }
            #expect(try scene.directory.names.count == 2)
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small file system takes rights that this process lacks"))
    func `a full disk loses nothing that was written`() async throws {
        try await SmallDisk.with { disk in
            try await DownloadScene.run { scene in
                let origin = RangeOrigin(byteCount: 200_000)
                let served = scene.serve("/file", { origin.response(to: $0) })
                let ballast = disk.appending(path: "ballast")
                try Data(repeating: 1, count: 128 * 1024).write(to: ballast)
                let destination = disk.appending(path: "a")
                let error = await #expect(throws: SessionError.self) {
                    try await scene.session.download(scene.request(), to: destination, policy: .resuming)
                }
                #expect(error?.code == .storageFull)
                let kept = error?.downloadRemains?.byteCount ?? 0
                #expect(kept >= 64 * 1024)
                try FileManager.default.removeItem(at: ballast)
                let file = try await scene.session.download(scene.request(), to: destination, policy: .resuming)
                #expect(file.resumedOffset == kept)
                #expect(served.ranges == [nil, "bytes=\(kept)-"])
                #expect(try Data(contentsOf: destination) == origin.bytes)
            }
        }
    }

    /// The permissions of a file, or of a link itself.
    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))
        return try #require(attributes[.posixPermissions] as? Int)
    }
}
