// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes

/// The step that kills a process during a download and resumes the download in another process.
struct KillStep {
    let server: TestServer
    let environment: DemoEnvironment

    private var console: Console { self.environment.console }
    private var byteCount: Int64 { self.environment.file.byteCount }
    private var path: String { "\(self.environment.folder.path)/\(Self.name)" }
    private var log: String { "\(self.environment.folder.path)/killed.log" }

    private static let name = "killed.bin"

    /// The longest time that each of the two processes may take.
    private static let patience = Duration.seconds(600)

    var step: DemoStep {
        DemoStep(title: "Kill and resume a download") {
            defer { for path in [self.path, self.log] { try? FileManager.default.removeItem(atPath: path) } }
            let expected = await PatternBytes.sha256(ofFirst: self.byteCount)
            self.server.enqueue(self.half)
            let kept = try await self.killed(self.start(expecting: expected))
            let start = ContinuousClock.now
            let said = try await self.finished(self.start(expecting: expected))
            let duration = start.duration(to: .now)
            let (received, sha256) = try await FileDigest.compute(self.path)
            try DemoStep.check(received == self.byteCount, "\(received) of \(self.byteCount) bytes are in the file")
            try DemoStep.check(sha256 == expected, "the digest of the file differs from that of the server's bytes")
            try DemoStep.check(
                said.contains("of it earlier"),
                "the second process has not gone on where the first one was killed"
            )
            return DemoStep.Outcome(
                detail: "\(SmallSteps.short(sha256)) matches",
                duration: duration,
                lines: [
                    "kill -9 with \(ByteText.size(kept)) of \(ByteText.size(self.byteCount)) there, then another process:",
                    said,
                    "sha256 \(sha256)",
                ]
            )
        }
    }

    /// The response to the first process: half of the file, after which it stalls, so that the process cannot end
    /// before it is killed.
    private var half: ScriptedResponse {
        ScriptedResponse(
            headers: [
                .contentType: "application/octet-stream", .acceptRanges: "bytes",
                .eTag: "\"bytes-\(self.byteCount)\"",
            ],
            body: .pattern(self.byteCount),
            effect: .stall(.afterBody(self.byteCount / 2))
        )
    }

    /// Starts this program as a separate process for the download.
    private func start(expecting digest: String) throws -> ProgramRun {
        var environment = self.console.environment
        // The user's own options and proxies must not affect the result.
        environment["BLUEBONNET_CONFIG_DIR"] = self.environment.folder.path
        environment["no_proxy"] = "*"
        return try ProgramRun(
            self.console.executablePath,
            [
                "--download", "--continue", "--output", self.path, "--sha256", digest,
                "\(self.server.url)/bytes/\(self.byteCount)",
            ],
            environment: environment,
            log: self.log
        )
    }

    /// Kills a process after it has received a quarter of the file.
    ///
    /// - Returns: The number of bytes in the partial file.
    private func killed(_ run: ProgramRun) async throws -> Int64 {
        let partial = "\(self.environment.folder.path)/.\(Self.name).bluebonnet-part"
        try await self.wait { run.ending != nil || Self.byteCount(of: partial) >= self.byteCount / 4 }
        guard run.kill() == .killed(by: 9) else { throw self.failure("the first process ended before it was killed") }
        return Self.byteCount(of: partial)
    }

    /// Waits for the end of a process.
    ///
    /// - Returns: The output of the process.
    private func finished(_ run: ProgramRun) async throws -> String {
        try await self.wait { run.ending != nil }
        guard run.kill() == .exited(0) else { throw self.failure("the second process failed") }
        return self.written
    }

    private func wait(until condition: () -> Bool) async throws {
        let start = ContinuousClock.now
        while !condition(), start.duration(to: .now) < Self.patience { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func failure(_ reason: String) -> DemoStep.Mismatch {
        DemoStep.Mismatch(reason: "\(reason): \(self.written)")
    }

    /// The output of the last process, without the path of the folder.
    private var written: String {
        let data = (try? Data(contentsOf: URL(filePath: self.log))) ?? Data()
        let lines = data.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        return lines.joined(separator: "; ").replacing("\(self.environment.folder.path)/", with: "")
    }

    private static func byteCount(of path: String) -> Int64 { (try? RegularFile.byteCount(ofPath: path)) ?? 0 }
}
