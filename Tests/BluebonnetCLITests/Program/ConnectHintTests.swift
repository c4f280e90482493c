// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

/// What the real program advises where no connection can be made.
@Suite(.timeLimit(.minutes(1))) struct ConnectHintTests {
    @Test(
        .bug(id: "F159"),
        arguments: [
            ("none", "; check the path given to --unix-socket\n"),
            ("file", "; check that the path is that of a socket and that its server is running\n"),
            ("file/below", "; check the path given to --unix-socket\n"),
            ("loop", "; check the path given to --unix-socket\n"),
        ]
    )
    func `a Unix socket that cannot be used gets advice about its path`(
        _ name: String,
        _ advice: String
    ) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("file", "")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/loop", withDestinationPath: "loop")
        let result = try await Program().run("--unix-socket", folder.path + "/" + name, "localhost/x")
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("bluebonnet: error: the Unix socket /"), "\(result.errors)")
        #expect(result.errors.hasSuffix(advice), "\(result.errors)")
    }

    @Test(.bug(id: "F159"), .enabled(if: geteuid() != 0, "root may do everything"))
    func `a Unix socket without permission gets advice about permissions`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("file", "")
        chmod(path, 0)
        let result = try await Program().run("--unix-socket", path, "localhost/x")
        let advice = "; check the permissions of the socket and of its folders\n"
        #expect(result.errors.hasSuffix(advice), "\(result.errors)")
    }

    @Test(.bug(id: "F370"), arguments: 4...18) func `too few descriptors to start are told before anything is opened`(
        _ limit: Int
    ) async throws {
        let result = try await Program(preparation: "ulimit -n \(limit)").run("127.0.0.1:1")
        #expect(result.ending == .exited(2))
        #expect(
            result.errors
                == "bluebonnet: error: 16 file descriptors are needed to start, and only \(limit - 3) can be opened; raise the limit of the process (ulimit -n)\n"
        )
    }

    @Test(.bug(id: "F159"), arguments: [14, 20]) func `too few descriptors get advice about their limit`(
        _ limit: Int
    ) async throws {
        let result = try await Program(preparation: "ulimit -n \(limit)").run("127.0.0.1:1")
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasSuffix("raise the limit of the process (ulimit -n)\n"), "\(result.errors)")
    }
}
