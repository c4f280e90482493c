// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// The format of curl's `--write-out`, parsed before anything is sent.
struct CurlWriteOut: Sendable {
    private enum Piece: Sendable {
        case text(String)
        case variable(CurlVariable)
        case field(HTTPField.Name)
        /// The rest of the output goes to standard error or standard output.
        case output(isErrors: Bool)
        /// The rest of the output is written only if the command failed.
        case onError
    }

    private var pieces: [Piece] = []

    /// Parses a format.
    ///
    /// - Parameter format: The format, or `@` and the name of a file that contains it.
    /// - Throws: `CommandFailure` for an unknown variable, or a file that cannot be read.
    init(_ format: String) throws(CommandFailure) {
        guard format.starts(withScalars: "@") else {
            try self.read(format)
            return
        }
        let path = String(format.droppingScalars(1))
        guard path != "-" else { throw .usage("curl's --write-out with “@-” has no counterpart here: name a file") }
        // The lines of a file are joined, as in curl: “\n” makes a line break.
        let bytes = try LocalFile.text(path).utf8.filter { ![0x00, 0x0A, 0x0D].contains($0) }
        try self.read(String(decoding: bytes, as: UTF8.self))
    }

    private mutating func read(_ format: String) throws(CommandFailure) {
        var text = String.UnicodeScalarView()
        var rest = format.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" || scalar == "\\", let next = rest.popFirst() else {
                text.append(scalar)
                continue
            }
            switch (scalar, next) {
            case ("%", "%"): text.append("%")
            case ("\\", "n"): text.append("\n")
            case ("\\", "r"): text.append("\r")
            case ("\\", "t"): text.append("\t")
            case ("%", "{"):
                self.end(&text)
                self.pieces.append(try Self.variable(try Self.name(&rest)))
            case ("%", "h") where rest.starts(with: "eader{".unicodeScalars):
                self.end(&text)
                rest = rest.dropFirst("eader{".unicodeScalars.count)
                self.pieces.append(try Self.field(try Self.name(&rest)))
            default: text.append(contentsOf: [scalar, next])
            }
        }
        self.end(&text)
    }

    private mutating func end(_ text: inout String.UnicodeScalarView) {
        if !text.isEmpty { self.pieces.append(.text(String(text))) }
        text = String.UnicodeScalarView()
    }

    /// Parses the name before the closing brace.
    private static func name(_ rest: inout Substring.UnicodeScalarView) throws(CommandFailure) -> String {
        // Characters: these are scalars.
        guard let end = rest.firstIndex(of: "}") else {
            throw .usage("curl's --write-out has a brace that is not closed")
        }
        defer { rest = rest[rest.index(after: end)...] }
        return String(rest[..<end])
    }

    private static func variable(_ text: String) throws(CommandFailure) -> Piece {
        // curl compares them without regard to case.
        let name = text.asciiLowercased
        switch name {
        case "stderr": return .output(isErrors: true)
        case "stdout": return .output(isErrors: false)
        case "onerror": return .onError
        // Every certificate of an established connection was verified.
        case "ssl_verify_result", "proxy_ssl_verify_result": return .text("0")
        case "ftp_entry_path": return .text("")
        default:
            guard let variable = CurlVariable(rawValue: name) else {
                throw .usage("the variable %{\(text)} of curl's --write-out has no counterpart here: leave it out")
            }
            return .variable(variable)
        }
    }

    private static func field(_ text: String) throws(CommandFailure) -> Piece {
        guard let name = HTTPField.Name(text) else { throw .usage("“\(text)” in curl's --write-out is no field") }
        return .field(name)
    }

    /// Writes the output.
    ///
    /// - Parameters:
    ///   - facts: The facts about the command.
    ///   - url: The URL of the command.
    ///   - failure: The failure of the command; nil if it succeeded.
    ///   - console: The destination of the output.
    /// - Throws: `CommandFailure` if the output cannot be written.
    func write(
        _ facts: CurlCourse.Facts,
        url: String,
        _ failure: CommandFailure?,
        to console: Console
    ) throws(CommandFailure) {
        var sink = console.output
        for piece in self.pieces {
            switch piece {
            case .text(let text): try sink.write(text)
            case .variable(let variable): try Self.write(variable.value(facts, url: url, failure), to: sink)
            // The first of several, as in curl.
            case .field(let name): try Self.write(facts.response?.headers[fields: name].first?.value ?? "", to: sink)
            case .output(let isErrors): sink = isErrors ? console.errors : console.output
            case .onError: if failure == nil { return }
            }
        }
    }

    /// Writes a value, escaped on a terminal because it may contain control characters from the server.
    private static func write(_ value: String, to sink: any OutputSink) throws(CommandFailure) {
        try sink.write(sink.isTerminal ? TerminalText.escapedLine(value) : value)
    }
}
