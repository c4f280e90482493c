// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluebonnetSerialization
import FoundationEssentials

/// The manual page, made from the definitions of the argument parser.
struct ManualPage {
    private var lines: [String] = []

    /// The page in the language of man(7).
    ///
    /// - Returns: The page, with a line end.
    /// - Throws: `CommandFailure` if the definitions are not what they have been.
    func text() throws(CommandFailure) -> String {
        let dump = try JSONDocument.parse(Array(DocumentedCommand._dumpHelp().utf8), from: "the parser's description")
        guard let command = dump["command"] else { throw .usage("the parser's description has no command") }
        var page = ManualPage()
        page.writeHead(command)
        page.writeOptions(of: command)
        page.writeCommands(of: command)
        page.writeSurroundings()
        return page.lines.joined(separator: "\n") + "\n"
    }

    private mutating func writeHead(_ command: JSONValue) {
        self.lines += [
            ".TH BLUEBONNET 1 \"\" \"bluebonnet \(CommandLineTool.version)\"", ".SH NAME",
            "bluebonnet \\- \(Self.escaped(command["abstract"]?.string ?? ""))", ".SH SYNOPSIS",
            ".B bluebonnet", "[OPTIONS] [METHOD] URL [ITEM ...]", ".br",
            ".B bluebonnet curl", "CURL'S OPTIONS AND URL", ".br",
            ".B bluebonnet demo", "|", ".B bluebonnet serve", "[OPTIONS]", ".SH DESCRIPTION",
        ]
        self.write(discussion: command["discussion"]?.string ?? "")
    }

    /// Text with paragraphs; indented lines stay as they are.
    private mutating func write(discussion: String) {
        var isVerbatim = false
        for line in discussion.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(
            Substring.init
        ) {
            let isIndented = line.starts(withScalars: "  ")
            if isIndented != isVerbatim, !line.isEmpty {
                self.lines.append(isIndented ? ".nf" : ".fi")
                isVerbatim = isIndented
            }
            self.lines.append(line.isEmpty ? (isVerbatim ? "" : ".PP") : Self.escaped(String(line)))
        }
        if isVerbatim { self.lines.append(".fi") }
    }

    private mutating func writeOptions(of command: JSONValue) {
        self.lines.append(".SH OPTIONS")
        var section: String?
        for argument in Self.arguments(of: command) {
            let title = argument["sectionTitle"]?.string ?? "Other"
            if title != section { self.lines.append(".SS \(Self.escaped(title))") }
            section = title
            self.write(option: argument)
        }
    }

    private static func arguments(of command: JSONValue) -> [JSONValue] {
        (command["arguments"]?.array ?? []).filter { argument in
            argument["shouldDisplay"]?.bool != false && argument["kind"]?.string != "positional"
        }
    }

    private mutating func write(option: JSONValue) {
        let names = (option["names"]?.array ?? []).compactMap { name -> (isLong: Bool, text: String)? in
            guard let text = name["name"]?.string, let kind = name["kind"]?.string else { return nil }
            return (kind == "long", (kind == "long" ? "--" : "-") + text)
        }
        let ordered = names.filter { !$0.isLong } + names.filter(\.isLong)
        var head = ordered.map { "\\fB\(Self.escaped($0.text))\\fR" }.joined(separator: ", ")
        if option["kind"]?.string == "option" {
            head += " \\fI\(Self.escaped(option["valueName"]?.string ?? "value"))\\fR"
        }
        let text = (option["abstract"]?.string ?? "") + Self.values(of: option)
        self.lines += [".TP", head, Self.escaped(text)]
    }

    /// What an option takes, and what stands for it where it is not given, as `--help` has it.
    private static func values(of option: JSONValue) -> String {
        guard option["kind"]?.string == "option" else { return "" }
        var parts: [String] = []
        if let values = option["allValues"]?.array?.compactMap(\.string), !values.isEmpty {
            parts.append("values: \(values.joined(separator: ", "))")
        }
        if let value = option["defaultValue"]?.string { parts.append("default: \(value)") }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
    }

    private mutating func writeCommands(of command: JSONValue) {
        self.lines += [
            ".SH COMMANDS", ".SS bluebonnet curl", "Read a command of curl, and send its request.", ".PP",
            Self.escaped(HelpText.curl),
        ]
        for subcommand in command["subcommands"]?.array ?? [] {
            guard let name = subcommand["commandName"]?.string, name != "help" else { continue }
            self.lines += [
                ".SS bluebonnet \(Self.escaped(name))", Self.escaped(subcommand["abstract"]?.string ?? ""), ".PP",
            ]
            self.write(discussion: subcommand["discussion"]?.string ?? "")
            for argument in Self.arguments(of: subcommand) { self.write(option: argument) }
        }
    }

    private mutating func writeSurroundings() {
        self.lines.append(".SH FILES")
        for (name, text) in [
            ("~/.config/bluebonnet/config.json", "Options for every request: {\"default_options\": [\"--follow\"]}."),
            ("~/.config/bluebonnet/sessions/HOST/NAME.json", "What --session keeps, in the form of HTTPie's sessions."),
            ("~/.netrc", "Passwords by host; used if nobody but its owner can read it."),
        ] {
            self.lines += [".TP", ".I \(Self.escaped(name))", Self.escaped(text)]
        }
        self.lines.append(".SH ENVIRONMENT")
        for (name, text) in [
            ("BLUEBONNET_CONFIG_DIR, XDG_CONFIG_HOME", "Where the files of configuration and sessions are."),
            ("http_proxy, https_proxy, all_proxy, no_proxy", "The proxies, unless --proxy is given."),
            ("NETRC", "A file in place of ~/.netrc."),
            ("NO_COLOR", "No colours, unless --pretty asks for them."),
            ("SSL_CERT_FILE", "A PEM file with the roots to trust, in place of the system's."),
            ("SSLKEYLOGFILE", "Where the secrets of TLS connections are written, to read a capture of them."),
        ] {
            self.lines += [".TP", ".B \(Self.escaped(name))", Self.escaped(text)]
        }
        self.lines += [".SH SEE ALSO", "\\fBcurl\\fR(1), \\fBhttp\\fR(1)"]
    }

    /// A line of text in which nothing is a command of roff.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "\n": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped.starts(withScalars: ".") || escaped.starts(withScalars: "'") ? "\\&" + escaped : escaped
    }
}
