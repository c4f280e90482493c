// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A process that uploads is killed with SIGKILL at random moments, and started again until the server has the file.
///
/// `make crash` kills two hundred times for each protocol; the number is in the environment variable `BLUEBONNET_UPLOAD_KILLS`.
@Suite(.timeLimit(.minutes(30)))
struct UploadKillTests {
    private static let killCount =
        ProcessInfo.processInfo.environment["BLUEBONNET_UPLOAD_KILLS"].flatMap { Int($0) } ?? 8
    /// How often one file is interrupted.
    private static let killsPerFile = 25
    private static let pieceByteCount = 256 * 1024

    private static var child: URL {
        Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "resume-upload")
    }

    /// Uploads files until enough processes were killed.
    private func killing(_ name: String, _ url: URL, _ check: (Data) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-kill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file.bin")
        var total = 0
        while total < Self.killCount {
            let kills = min(Self.killsPerFile, Self.killCount - total)
            let pieceCount = 4 * (kills + 1)
            let bytes = patternedData(count: pieceCount * Self.pieceByteCount - 77)
            try bytes.write(to: file)
            var killed = 0
            while true {
                let lineCount = killed < kills ? Int.random(in: 0...6) : nil
                let run = try await KilledChild(
                    Self.child,
                    [name, url.absoluteString, file.path()],
                    killedAfter: lineCount
                )
                guard run.wasKilled else {
                    let last = run.lines.last ?? ""
                    try #require(last.hasPrefix("sent \(bytes.count) bytes"), "\(last)")
                    break
                }
                killed += 1
            }
            try await check(bytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["file.bin"])
            total += max(killed, 1)
        }
        print("killed \(total) processes that uploaded with \(name)")
    }

    @Test func `a tus upload that is killed at random moments ends with the right bytes`() async throws {
        try await ExternalServer.run(.tus) { server in
            try await self.killing("tus", server.http.appending(path: "files/")) { bytes in
                let names = try FileManager.default.contentsOfDirectory(atPath: server.files.path())
                let isThere = names.contains { name in
                    (try? Data(contentsOf: server.files.appending(path: name))) == bytes
                }
                #expect(isThere)
                for name in names where !name.hasPrefix(".") {
                    try? FileManager.default.removeItem(at: server.files.appending(path: name))
                }
            }
        }
    }

    @Test func `an upload of the draft that is killed at random moments ends with the right bytes`() async throws {
        try await UploadDraftServer.run { url, server in
            try await self.killing("draft", url) { bytes in
                // A process that is killed after its last piece cannot know that it was the last one, and sends the file once more.
                #expect(server.received.last == .init(byteCount: bytes.count, sha256: digest(bytes)))
            }
        }
    }
}
