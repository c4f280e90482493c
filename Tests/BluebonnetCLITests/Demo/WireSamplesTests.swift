// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

/// The requests that the demonstration shows are those that its command lines print.
@Suite struct WireSamplesTests {
    private func samples() async throws -> [WireSamples.Sample] {
        let temporary = try TemporaryFolder()
        let test = TestConsole(environment: ["TMPDIR": temporary.path])
        let folder = try DemoFolder(test.console)
        let samples = try await WireSamples(folder: folder, console: test.console).all()
        folder.remove()
        #expect(temporary.names.isEmpty)
        #expect(test.output.bytes.isEmpty && test.errors.bytes.isEmpty)
        return samples
    }

    @Test func `every serializer is shown with its content type and body`() async throws {
        let samples = try await self.samples()
        let expected: [(type: String, line: String)] = [
            (
                "application/x-www-form-urlencoded",
                "name=Ada%20Lovelace&tags%5B%5D=poet%20%26%20programmer&tags%5B%5D=t%C3%A4glich"
            ),
            ("application/json", #"{"name":"Ada Lovelace","born":1815,"tags":["poet","programmer"]}"#),
            ("application/x-plist", "\t<integer>1815</integer>"),
            ("multipart/form-data; boundary=", #"Content-Disposition: form-data; name="notes"; filename="meadow.txt""#),
        ]
        try #require(samples.count == expected.count)
        for (sample, (type, line)) in zip(samples, expected) {
            #expect(sample.lines.first?.hasPrefix("POST /") == true)
            #expect(sample.lines.contains { $0.hasPrefix("Content-Type: \(type)") }, "\(sample.title)")
            #expect(sample.lines.contains(line), "\(sample.title): \(sample.lines)")
        }
    }

    @Test func `a command line that is typed prints the same lines`() async throws {
        for sample in try await self.samples().dropLast() {
            let command = try #require(sample.commands.last)
            let shell = TestConsole()
            #expect(await shell.run(Self.words(of: command)) == .success)
            let lines = shell.output.text.replacing("\r\n", with: "\n").split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            #expect(Array(lines.prefix(sample.lines.count)) == sample.lines[...].map { $0[...] })
        }
    }

    @Test func `the length is that of the lines`() async throws {
        let upload = try #require(try await self.samples().last)
        let head = try #require(upload.lines.firstIndex(of: ""))
        // The last CR LF was taken off with the last line.
        let body = upload.lines[(head + 1)...]
        #expect(body.contains("Lupinus texensis"))
        // Every line ends in CR LF but the file's own, which ends in LF.
        let count = body.map { $0.utf8.count + 2 }.reduce(0, +) - 1
        #expect(upload.lines.contains("Content-Length: \(count)"))
    }

    /// The words of a command as a POSIX shell splits it, without the program's own name.
    private static func words(of command: String) -> [String] {
        var words = [""]
        var isQuoted = false
        for character in command {
            switch character {
            case "'": isQuoted.toggle()
            case " " where !isQuoted: words.append("")
            default: words[words.count - 1].append(character)
            }
        }
        return Array(words.dropFirst())
    }
}
