// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The `demo` command, which runs the main use cases against an embedded server and checks every step.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Do the main job against an embedded server, and check every step.",
        discussion: """
            First it shows what a form, a JSON document, a property list and a multipart form look like on the wire, and the \
            command lines that print them.

            Client and server run in this process and talk over real sockets on the loopback address; the download that is \
            killed (SIGKILL) and resumed runs in processes of its own. Every step compares what arrived with what was sent, \
            large bodies by SHA-256, and the command fails if one differs. The file that is sent and received lies in a \
            temporary folder ($TMPDIR or /tmp) that is removed at the end.

            Example:

              bluebonnet demo --size 1024
            """,
        helpNames: .long
    )

    @Option(
        name: .long,
        help: ArgumentHelp("The size of the file that is sent and received.", valueName: "MiB")
    )
    var size = 256
}

extension DemoCommand: ConsoleCommand {
    /// The largest file size, in MiB: 1 TiB.
    static let largestSize = 1024 * 1024

    func run(on console: Console) async throws -> CommandStatus {
        guard (1...Self.largestSize).contains(self.size) else {
            throw CommandFailure.usage("--size takes a number of MiB from 1 to \(Self.largestSize)")
        }
        return try await Demo(byteCount: Int64(self.size) * 1024 * 1024, console: console).run()
    }
}
