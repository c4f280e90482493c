// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// A process that downloads is killed with SIGKILL at random moments, and started again until the file is there.
///
/// `make crash` kills a thousand times; the number is in the environment variable `BLUEBONNET_KILLS`.
@Suite(.timeLimit(.minutes(30))) struct KillTests {
    private static let killCount = ProcessInfo.processInfo.environment["BLUEBONNET_KILLS"].flatMap { Int($0) } ?? 8
    /// How often one file is interrupted.
    private static let killsPerFile = 50

    private static var child: URL {
        Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "resume-download")
    }

    @Test(arguments: [false, true], [false, true])
    func `a download that is killed at random moments ends with the right bytes`(
        _ hasDigest: Bool,
        _ isParallel: Bool
    ) async throws {
        var killed = 0
        repeat {
            killed += try await self.saveOneFile(
                kills: min(Self.killsPerFile, Self.killCount - killed),
                hasDigest: hasDigest,
                isParallel: isParallel
            )
        } while killed < Self.killCount
    }

    /// How many bytes of the file `a` can be continued.
    private static func storedByteCount(in directory: TemporaryDirectory) throws -> Int64 {
        let name = ResumableDownloadTests.partialName
        guard try directory.names.contains(name + ".journal"),
            let journal = DownloadJournal(Array(try directory.contents(name + ".journal")))
        else { return 0 }
        let stored = Int64(try directory.contents(name).count)
        return journal.usableSpans(of: stored, boot: BootIdentity.current).reduce(0) { $0 + $1.to - $1.from }
    }

    /// - Returns: How often the child was killed.
    private func saveOneFile(kills: Int, hasDigest: Bool, isParallel: Bool) async throws -> Int {
        let byteCount: Int64 = kills > 20 ? 64 << 20 : 8 << 20
        let sha256 = await PatternBytes.sha256(ofFirst: byteCount)
        var (killed, refetched) = (0, Int64(0))
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: byteCount, fields: [.acceptRanges: "bytes"])
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .throttle(byteCount: 64 * 1024, every: .milliseconds(1))) }
            )
            let file = scene.directory.file("a")
            let arguments =
                (isParallel ? ["--parallel"] : []) + ["\(scene.server.url)/file", file.path(percentEncoded: false)]
                + (hasDigest ? [sha256] : [])
            var received: Int64 = 0
            while true {
                let lineCount = killed < kills ? Int.random(in: 0...Int(byteCount / 65_536) / (kills + 1)) : nil
                let run = try await KilledChild(Self.child, arguments, killedAfter: lineCount)
                // The last number: what it had, the bytes of earlier runs included.
                received = max(received, run.lines.reversed().lazy.compactMap { Int64($0) }.first ?? 0)
                if !run.wasKilled {
                    #expect(run.status == 0)
                    break
                }
                // The signal came when the child was done; what it has left is looked at below.
                if try scene.directory.names.contains("a") { break }
                killed += 1
                // What the child has said that it had, and what the next one finds.
                let found = try Self.storedByteCount(in: scene.directory)
                refetched += max(0, received - found)
                received = found
            }
            #expect(try scene.directory.names == ["a"])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
        print(
            "\(isParallel ? "parallel" : "single"): killed \(killed) times, \(refetched) of \(byteCount) bytes fetched twice"
        )
        #expect(refetched <= byteCount / 20)
        return max(killed, 1)
    }
}
