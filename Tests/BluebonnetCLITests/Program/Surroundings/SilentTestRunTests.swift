// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `scripts/run-tests`, with tests that hang, on a system that has no more than it needs.
@Suite(.timeLimit(.minutes(1))) struct SilentTestRunTests {
    /// What stands for `swift test`: the process stops, so that nothing but SIGKILL ends it.
    private static let swift = """
        #!/bin/bash
        echo "◇ Test x started."
        exec -a /x/somePackageTests.xctest /bin/bash -c 'kill -STOP $$' --testing-library swift-testing
        """

    @Test(.bug(id: "F161")) func `tests that say nothing are ended without procps`() async throws {
        let folder = try TemporaryFolder()
        let swift = try folder.add("swift", Self.swift)
        try FileManager.default.createDirectory(atPath: folder.path + "/bin", withIntermediateDirectories: true)
        let tools = ["awk", "bash", "cut", "date", "dirname", "env", "mktemp", "rm", "sleep", "stat", "tee", "timeout"]
        let links = tools.map { "ln -s \"$(command -v \($0))\" '\(folder.path)/bin/'" }.joined(separator: " && ")
        let preparation =
            "\(links) && export PATH='\(folder.path)/bin' SILENCE=1 SWIFT='bash \(swift)' TMPDIR='\(folder.path)'"
        let result = try await Program(path: PackageFolder.path + "scripts/run-tests", preparation: preparation).run()
        #expect(result.ending == .exited(137), "\(result.errors)")
        #expect(result.output.contains("==> Nothing was said for 1 seconds"), "\(result.output)")
    }
}
