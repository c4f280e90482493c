// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// One request per serializer in its wire format, printed by the command line itself with `--offline`.
struct WireSamples {
    let folder: DemoFolder
    let console: Console

    /// A command line and its output.
    struct Sample {
        var title: String
        /// The command lines.
        var commands: [String]
        /// The lines of the request.
        var lines: [String]
    }

    private static let fileName = "meadow.txt"
    private static let fileText = "Lupinus texensis\n"

    /// Makes the samples, in the order in which they are shown.
    ///
    /// - Throws: `DemoStep.Mismatch` if a command line fails.
    func all() async throws -> [Sample] {
        let document = #"{"name":"Ada Lovelace","tags":["poet & programmer","täglich"]}"#
        let items = ["name=Ada Lovelace", "born:=1815", "tags[]=poet", "tags[]=programmer"]
        return [
            try await self.sample("A form", ["--form", "--parameters", document, "example.org/users"]),
            try await self.sample("JSON", ["example.org/users"] + items),
            try await self.sample("A property list", ["--plist", "example.org/users"] + items),
            try await self.uploadSample(),
        ]
    }

    private func sample(_ title: String, _ words: [String]) async throws -> Sample {
        Sample(title: title, commands: [self.command(words)], lines: try await self.lines(words))
    }

    private func uploadSample() async throws -> Sample {
        let file = self.folder.url(Self.fileName)
        try Data(Self.fileText.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        func words(_ path: String) -> [String] {
            ["--form", "example.org/photos", "caption=A field of bluebonnets", "notes@\(path)"]
        }
        return Sample(
            title: "A multipart form with a file",
            // Only the file's name is sent, so the path may differ.
            commands: ["echo '\(Self.fileText.dropLast())' > \(Self.fileName)", self.command(words(Self.fileName))],
            lines: try await self.lines(words("\(self.folder.path)/\(Self.fileName)"))
        )
    }

    private func command(_ words: [String]) -> String {
        ([self.console.programPath, "--offline"] + words).map(ShellWord.quoted).joined(separator: " ")
    }

    private func lines(_ words: [String]) async throws -> [String] {
        let (output, errors) = (MemorySink(isTerminal: self.console.output.isTerminal), MemorySink())
        var console = self.console
        console.input = EmptySource()
        console.output = output
        console.errors = errors
        let status = await CommandLineTool.run(["--offline"] + words, console: console)
        try DemoStep.check(status == .success, errors.text)
        // Split as scalars, because CR LF is a single Character.
        var lines = output.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.last == "\r" ? $0.dropLast() : $0) }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
