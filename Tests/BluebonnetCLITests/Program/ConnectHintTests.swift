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

    @Test(.bug(id: "F400"), .enabled(if: Program.sanitizer.isEmpty, "a sanitizer reserves memory"), arguments: 0...5)
    func `too few threads to start are told`(_ count: Int) async throws {
        let result = try await Program.limited(toThreads: count).run("127.0.0.1:1")
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("bluebonnet: error: "), "\(result.errors)")
        #expect(
            result.errors.hasSuffix(
                " threads are needed to start, and only \(count) can be started; raise the limit of processes (ulimit -u) or of memory (ulimit -v)\n"
            ),
            "\(result.errors)"
        )
    }

    @Test(.bug(id: "F400"), .enabled(if: Program.sanitizer.isEmpty, "a sanitizer reserves memory"))
    func `enough threads to start are enough for a request`() async throws {
        let refused = try await Program.limited(toThreads: 0).run("localhost:1")
        let words = refused.errors.split(separator: " ")
        let needed = try #require(words.compactMap { Int($0) }.first, "\(refused.errors)")
        let result = try await Program.limited(toThreads: needed).run("localhost:1")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("cannot be reached: "), "\(result.errors)")
    }

    @Test(.bug(id: "F159"), arguments: [14, 20]) func `too few descriptors get advice about their limit`(
        _ limit: Int
    ) async throws {
        let result = try await Program(preparation: "ulimit -n \(limit)").run("127.0.0.1:1")
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasSuffix("raise the limit of the process (ulimit -n)\n"), "\(result.errors)")
    }
}

extension Program {
    /// The program with a limit on threads that holds for every user, root included: each reserves 4 GiB for its stack.
    fileprivate static func limited(toThreads count: Int) -> Program {
        let (stack, rest) = (4_194_304, 2_500_000)
        return Program(preparation: "ulimit -s \(stack); ulimit -v \(stack * count + rest)")
    }
}
