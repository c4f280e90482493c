// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials

/// The steps that show error messages: the command line itself, run against a server that misbehaves.
struct ErrorSteps {
    let server: TestServer
    let secure: TestServer
    let folder: DemoFolder
    let console: Console

    var all: [DemoStep] {
        [
            self.step("A body cut short", ["--download", "\(self.server.url)/cut/report.csv"], .transport) {
                self.server.enqueue(.raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nname,year\r\nAda,"))
            },
            self.step("A response that is not HTTP", [self.server.url], .transport) {
                self.server.enqueue(.raw("SSH-2.0-OpenSSH_9.2\r\n"))
            },
            self.step("A slip of the finger", ["htp://localhost/users"], .usage),
            self.step("JSON that is not", ["localhost", "age:=thirty"], .usage),
        ]
    }

    /// Runs a command line and checks that it ends with the expected status, a one-line message and no file.
    private func step(
        _ title: String,
        _ arguments: [String],
        _ expected: CommandStatus,
        prepare: @escaping @Sendable () -> Void = {}
    ) -> DemoStep {
        DemoStep(title: title) {
            prepare()
            let errors = MemorySink()
            var console = self.console
            console.input = EmptySource()
            console.output = MemorySink()
            console.errors = errors
            console.directory = self.folder.path
            // The servers are on this machine, and one of the hosts does not exist.
            console.environment["no_proxy"] = "*"
            let status = await CommandLineTool.run(arguments, console: console)
            let lines = errors.text.split(separator: "\n").map(String.init)
            try DemoStep.check(status == expected, "the exit code is \(status.rawValue) and not \(expected.rawValue)")
            try DemoStep.check(lines.count == 1, "the explanation has \(lines.count) lines and not 1")
            let files = try FileManager.default.contentsOfDirectory(atPath: self.folder.path)
            let left = files.filter { !["upload.bin", "download.bin"].contains($0) }
            try DemoStep.check(left.isEmpty, "it left a file behind: \(left.joined(separator: ", "))")
            let note = arguments.contains("--download") ? ", no file" : ""
            return DemoStep.Outcome(detail: "exit code \(status.rawValue)\(note)", lines: lines)
        }
    }
}
