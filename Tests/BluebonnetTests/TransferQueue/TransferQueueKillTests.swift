// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Bluebonnet

/// Processes that add to a queue and work through it are killed with SIGKILL at random moments, and started again until all is done.
///
/// `make crash` kills more often; the number is in the environment variable `BLUEBONNET_QUEUE_KILLS`.
@Suite(.timeLimit(.minutes(30))) struct TransferQueueKillTests {
    private static let killCount =
        ProcessInfo.processInfo.environment["BLUEBONNET_QUEUE_KILLS"].flatMap { Int($0) } ?? 6
    private static let killsPerQueue = 10
    private static let fileCount = 5
    private static let origin = RangeOrigin(byteCount: 1 << 20, fields: [.acceptRanges: "bytes"])

    private static var child: URL {
        Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "transfer-queue")
    }

    @Test func `what a killed process has added is there, and no record is broken`() async throws {
        let directory = try TemporaryDirectory()
        let queue = directory.file("queue").path(percentEncoded: false)
        var (added, killed) = (Set<String>(), 0)
        while killed < Self.killCount {
            let pairs = (0..<30).flatMap { ["http://h/\($0)", directory.file("f\($0)").path(percentEncoded: false)] }
            let run = try await KilledChild(Self.child, [queue, "add"] + pairs, killedAfter: Int.random(in: 1...25))
            added.formUnion(run.lines)
            killed += 1
            let contents = try TransferDirectory(directory.file("queue")).contents()
            #expect(contents.unreadable.isEmpty)
            #expect(added.isSubset(of: contents.transfers.map { "\($0.id)" }))
        }
    }

    @Test func `downloads of processes that are killed at random moments end with the right bytes`() async throws {
        try await self.killing {
            for number in 0..<Self.fileCount {
                $0.server.respond(to: "/\(number)") { request in
                    Self.origin.response(to: request, .throttle(byteCount: 32 * 1024, every: .milliseconds(1)))
                }
                try $1.add($0.download("/\(number)", "f\(number)"))
            }
        } check: { scene in
            for number in 0..<Self.fileCount {
                let content = try scene.directory.contents("f\(number)")
                #expect(content == Self.origin.bytes)
            }
        }
    }

    @Test(arguments: [false, true])
    func `uploads of processes that are killed at random moments arrive whole`(_ isDraft: Bool) async throws {
        let files = (0..<Self.fileCount).map { number in
            Data((0..<400_000 + number).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
        }
        var upload: ResumableUpload = isDraft ? .draft() : .tus()
        upload.pieceSize = .fixed(16 * 1024)
        var origin = UploadOrigin(isDraft: isDraft)
        try await self.killing { scene, folder in
            origin = UploadOrigin(isDraft: isDraft)
            // A process that is killed before it has written down where its upload lives begins another one.
            origin.serve(on: scene.server, uploadCount: Self.fileCount * (Self.killsPerQueue + 1))
            for (number, bytes) in files.enumerated() {
                let file = scene.directory.file("f\(number)")
                try bytes.write(to: file)
                try folder.add(.upload(file, to: scene.url("/files"), resuming: upload))
            }
        } check: { _ in
            #expect(Set(origin.files) == Set(files))
        }
    }

    /// Has killed processes work through queues, until enough were killed.
    ///
    /// - Parameters:
    ///   - fill: Adds the transfers to an empty queue.
    ///   - check: Looks at what they have brought.
    /// - Throws: What either throws.
    private func killing(
        _ fill: (TransferQueueScene, TransferDirectory) async throws -> Void,
        check: (TransferQueueScene) throws -> Void
    ) async throws {
        var total = 0
        while total < Self.killCount {
            try await TransferQueueScene.run { scene in
                let folder = try TransferDirectory(scene.folder)
                try await fill(scene, folder)
                let kills = min(Self.killsPerQueue, Self.killCount - total)
                total += try await self.workThrough(folder, scene, kills: kills)
                #expect(try folder.contents().transfers.allSatisfy { $0.state == .finished })
                try check(scene)
                let names = try scene.directory.names
                #expect(names == ["f0", "f1", "f2", "f3", "f4", "queue"])
            }
        }
    }

    /// Runs processes until one comes to its end.
    ///
    /// - Returns: How many were killed.
    private func workThrough(_ folder: TransferDirectory, _ scene: TransferQueueScene, kills: Int) async throws -> Int {
        var killed = 0
        while true {
            let lineCount = killed < kills ? Int.random(in: 0...20) : nil
            let path = scene.folder.path(percentEncoded: false)
            let run = try await KilledChild(Self.child, [path], killedAfter: lineCount)
            let contents = try folder.contents()
            #expect(contents.unreadable.isEmpty)
            #expect(contents.transfers.count == Self.fileCount)
            #expect(contents.transfers.allSatisfy { $0.state != .failed })
            guard run.wasKilled else {
                #expect(run.status == 0, "\(run.lines.suffix(3))")
                return killed
            }
            killed += 1
        }
    }
}
