// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a person has answered to a prompt.
enum SecretAnswer: Equatable, Sendable {
    /// The line that was typed; it may be empty.
    case text(String)
    /// The input ended, or the task was cancelled, before the end of a line.
    case nothing
    /// There is no terminal to ask on.
    case noTerminal
}

/// A prompt for a password on the controlling terminal, independent of standard input and output.
enum SecretPrompt {
    /// The longest line that is read, in bytes.
    private static let limit = 4096

    /// Shows a prompt and reads a line without echo.
    ///
    /// - Returns: The line, or why there is none.
    /// - Throws: `CommandFailure` if the line is not UTF-8, because other bytes would be sent in place of it, or holds a
    ///   control character.
    static func read(_ prompt: String) throws(CommandFailure) -> SecretAnswer {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return .noTerminal }
        defer { close(terminal) }
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { return .noTerminal }
        var quiet = settings
        quiet.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &quiet)
        defer { tcsetattr(terminal, TCSAFLUSH, &settings) }
        let sink = FileDescriptorSink(descriptor: terminal, name: "the terminal")
        try? sink.write(prompt)
        defer { try? sink.write("\n") }
        return try self.line(from: terminal)
    }

    private static func line(from terminal: Int32) throws(CommandFailure) -> SecretAnswer {
        let source = FileDescriptorSource(descriptor: terminal)
        var line: [UInt8] = []
        while line.count < self.limit {
            // Polled regularly: Ctrl-C cancels the task, and the terminal's echo must be restored.
            if Task.isCancelled { return .nothing }
            guard source.waitUntilReadable(milliseconds: 100) else { continue }
            var byte: UInt8 = 0
            let count = withUnsafeMutableBytes(of: &byte) { (try? source.read(into: $0)) ?? 0 }
            guard count == 1 else { return .nothing }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
            line.append(byte)
        }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw .usage("the password is not UTF-8: use a terminal whose encoding is UTF-8")
        }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw .usage("the password that was typed holds a control character, as of an arrow key: type it again")
        }
        return .text(text)
    }
}
