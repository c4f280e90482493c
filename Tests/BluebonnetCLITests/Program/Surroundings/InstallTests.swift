// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `make install` puts below a prefix, with the program that the tests have built.
@Suite(.timeLimit(.minutes(1))) struct InstallTests {
    private static func make(_ target: String, _ folder: TemporaryFolder) async throws -> RunningProgram.Result {
        let program = Program(directory: PackageFolder.path, path: "/usr/bin/make")
        return try await program.run(
            "--no-print-directory",
            target,
            "RELEASE_BINARY=\(Program.path)",
            "DESTDIR=\(folder.path)",
            "PREFIX=/opt/b b"
        )
    }

    @Test func `the program, its manual and the completions of three shells are installed, and removed again`()
        async throws
    {
        let folder = try TemporaryFolder()
        let installed = try await Self.make("install-files", folder)
        #expect(installed.ending == .exited(0), "\(installed.output) \(installed.errors)")
        let prefix = folder.path + "/opt/b b"
        var program = Program()
        program.path = prefix + "/bin/bluebonnet"
        #expect(try await program.run("--offline", "localhost/x").output.hasPrefix("GET /x HTTP/1.1\r\n"))
        let mode = try FileManager.default.attributesOfItem(atPath: program.path)[.posixPermissions] as? Int
        #expect(mode == 0o755)
        let shared = [
            ("man/man1/bluebonnet.1", ".TH BLUEBONNET 1"), ("bash-completion/completions/bluebonnet", "complete "),
            ("zsh/site-functions/_bluebonnet", "#compdef bluebonnet"),
            ("fish/vendor_completions.d/bluebonnet.fish", "complete -c 'bluebonnet'"),
        ]
        for (name, content) in shared {
            let data = FileManager.default.contents(atPath: "\(prefix)/share/\(name)") ?? Data()
            let text = String(decoding: data, as: UTF8.self)
            #expect(text.contains(content), "\(name): \(text.prefix(200))")
            #expect(text.contains("session"), "\(name)")
        }
        let shell = Program(path: "/bin/bash")
        let bash = try await shell.run("-n", "\(prefix)/share/bash-completion/completions/bluebonnet")
        #expect(bash.ending == .exited(0), "\(bash.errors)")
        #expect(try await Self.make("uninstall", folder).ending == .exited(0))
        let left = FileManager.default.subpaths(atPath: folder.path)?.filter { $0.contains("bluebonnet") }
        #expect(left == [])
    }

    @Test func `a prefix that cannot be written is explained`() async throws {
        let folder = try TemporaryFolder()
        // A file stands where the folder would.
        _ = try folder.add("opt", "")
        let result = try await Self.make("install-files", folder)
        #expect(result.ending != .exited(0))
        #expect(result.errors.contains("try another PREFIX"), "\(result.errors)")
    }
}
