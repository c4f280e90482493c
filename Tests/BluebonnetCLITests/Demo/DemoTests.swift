// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite(.timeLimit(.minutes(1))) struct DemoTests {
    @Test func `every step passes, aligned and in plain text`() async throws {
        let folder = try TemporaryFolder()
        let environment = ["LANG": "C.UTF-8", "TMPDIR": folder.path].merging(Program.sanitizer) { $1 }
        var test = TestConsole(environment: environment)
        test.console.executablePath = Program.path
        #expect(await test.run("demo", "--size", "1") == .success)
        let lines = test.output.text.split(separator: "\n")
        let steps = lines.filter { $0.hasPrefix("✓") || $0.hasPrefix("✗") }
        #expect(steps.count == 21)
        #expect(steps.allSatisfy { $0.hasPrefix("✓") }, "\(test.output.text)")
        #expect(Set(steps.map(\.count)).count == 1, "every line ends in the same column")
        #expect(steps.allSatisfy { $0.count <= 80 })
        #expect(!test.output.text.contains("\u{1B}"))
        #expect(lines.contains { $0.contains("kill -9 with") })
        let saved = try #require(lines.first { $0.contains("Saved “killed.bin” (1.0 MiB") })
        #expect(saved.contains("of it earlier, sha-256 verified"))
        #expect(test.errors.bytes.isEmpty)
        #expect(folder.names.isEmpty)
    }

    @Test func `a check that does not hold fails the report`() async throws {
        let test = TestConsole()
        var report = DemoReport(console: test.console)
        try await report.run([
            DemoStep(title: "good") { DemoStep.Outcome(detail: "fine") },
            DemoStep(title: "bad") { throw DemoStep.Mismatch(reason: "the digest differs") },
        ])
        #expect(report.stepCount == 2)
        #expect(report.failureCount == 1)
        #expect(test.output.text.contains("✗   bad"))
        #expect(test.output.text.contains("the digest differs"))
    }

    @Test func `a folder that cannot be made is explained`() async {
        let test = TestConsole(environment: ["TMPDIR": "/nonexistent"])
        #expect(await test.run("demo", "--size", "1") == .usage)
        #expect(test.errors.text.contains("TMPDIR"))
    }
}
