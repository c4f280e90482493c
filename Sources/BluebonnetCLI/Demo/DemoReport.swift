// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The report of the demonstration, with one aligned line per step.
struct DemoReport {
    private let console: Console
    private let palette: Palette
    private let start = ContinuousClock.now

    /// The number of steps so far.
    private(set) var stepCount = 0

    /// The number of failed steps.
    private(set) var failureCount = 0

    private static let titleWidth = 27
    private static let detailWidth = 27
    private static let figureWidth = 12
    private static let memoryWidth = 9
    private static let indentation = "      "

    init(console: Console) {
        self.console = console
        self.palette = Palette(isEnabled: console.output.isTerminal && console.allowsColours)
    }

    func begin(byteCount: Int64) throws {
        let size = ByteText.size(byteCount)
        let title = self.palette.paint("Bluebonnet \(CommandLineTool.version)", .strong)
        let text = """
            \(title): client and server in one process, over loopback sockets;
            the download that is killed runs in processes of its own.
            Files of \(size); what arrives is compared with what was sent, by SHA-256.

            """
        try self.console.output.write(text)
    }

    /// Prints requests in their wire format, each below the command line that makes it.
    func show(_ samples: [WireSamples.Sample]) throws {
        try self.console.output.write(
            "\n" + self.palette.paint("Requests as they go onto the wire; with --offline nothing is sent", .strong)
                + "\n"
        )
        for sample in samples {
            let commands = sample.commands.map { "  $ \($0)\n" }.joined()
            let lines = sample.lines.map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
            let title = self.palette.paint(sample.title, .strong)
            try self.console.output.write("\n  \(title)\n\n\(commands)\n\(lines)")
        }
    }

    /// Prints the heading of a group of steps.
    func section(_ title: String) throws {
        let columns = [
            Self.padded("", Self.detailWidth - (title.count - Self.titleWidth)),
            Self.padded("time or rate", Self.figureWidth, isRight: true),
            Self.padded("peak mem", Self.memoryWidth, isRight: true),
        ].joined()
        try self.console.output.write(
            "\n" + self.palette.paint(title, .strong) + "    " + self.palette.paint(columns, .faint) + "\n"
        )
    }

    /// Runs steps one after the other and prints the result of each.
    ///
    /// - Throws: The error of printing; `CancellationError`. A step that fails is printed and counted.
    mutating func run(_ steps: [DemoStep]) async throws {
        for step in steps {
            self.stepCount += 1
            let start = ContinuousClock.now
            do {
                let outcome = try await step.body()
                let duration = outcome.duration ?? start.duration(to: .now)
                try self.printSuccess(step.title, outcome, duration)
            } catch let error as CancellationError {
                throw error
            } catch {
                try Task.checkCancellation()
                self.failureCount += 1
                try self.printFailure(step.title, error)
            }
        }
    }

    private func printSuccess(_ title: String, _ outcome: DemoStep.Outcome, _ duration: Duration) throws {
        let figure: String
        if let byteCount = outcome.byteCount {
            figure = ByteText.rate(Double(byteCount) / max(duration / .seconds(1), 0.000_001))
        } else {
            figure = ByteText.span(duration)
        }
        let memory = PeakMemory.byteCount.map { ByteText.wholeMebibytes($0) } ?? "-"
        let mark = self.palette.paint(self.console.allowsUnicode ? "✓" : "ok", .success)
        let gap = self.console.allowsUnicode ? "   " : "  "
        let line = [
            Self.padded(title, Self.titleWidth),
            Self.padded(outcome.detail, Self.detailWidth),
            Self.padded(figure, Self.figureWidth, isRight: true),
            Self.padded(memory, Self.memoryWidth, isRight: true),
        ].joined()
        try self.console.output.write(mark + gap + line + "\n")
        for line in outcome.lines {
            for piece in self.wrapped(line) { try self.console.output.write(Self.indentation + piece + "\n") }
        }
    }

    private func printFailure(_ title: String, _ error: any Error) throws {
        let reason = (error as? DemoStep.Mismatch)?.reason ?? CommandFailure(describing: error).message
        let mark = self.palette.paint(self.console.allowsUnicode ? "✗" : "no", .failure)
        let gap = self.console.allowsUnicode ? "   " : "  "
        let text = Self.padded(title, Self.titleWidth) + self.palette.paint(TerminalText.escapedLine(reason), .failure)
        try self.console.output.write(mark + gap + text + "\n")
    }

    /// Breaks a long line between words, so that every line is indented on a terminal.
    private func wrapped(_ line: String) -> [String] {
        guard self.console.output.isTerminal else { return [line] }
        let width = max(20, self.console.output.columns - Self.indentation.count - 1)
        var pieces = [""]
        for word in line.split(separator: " ") {
            let last = pieces[pieces.count - 1]
            if !last.isEmpty, last.count + 1 + word.count > width {
                pieces.append(String(word))
            } else {
                pieces[pieces.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
            }
        }
        return pieces
    }

    /// Prints the number of checks that passed or failed, and commands to try next.
    func end() throws {
        let time = ByteText.span(self.start.duration(to: .now))
        let passed = self.stepCount - self.failureCount
        let sum =
            self.failureCount == 0
            ? "All \(passed) checks passed" : "\(self.failureCount) of \(self.stepCount) checks failed"
        let program = ShellWord.quoted(self.console.programPath)
        try self.console.output.write(
            """

            \(self.palette.paint(sum, self.failureCount == 0 ? .success : .failure)) in \(time).

            To try next, in two terminals:

              \(program) serve --port 8033
              \(program) --verbose :8033/echo name=Ada born:=1815

            """
        )
    }

    /// Pads text with spaces to the width of a column, or truncates it, so that the next column is aligned.
    static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        let gap = String(repeating: " ", count: max(0, width - text.count))
        if isRight { return gap + text }
        return text.count >= width ? String(text.prefix(max(0, width - 2))) + "… " : text + gap
    }
}

extension ByteText {
    /// Returns a size in whole MiB.
    static func wholeMebibytes(_ byteCount: Int64) -> String { "\((byteCount + (1 << 19)) >> 20) MiB" }
}
