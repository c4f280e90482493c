// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A command of curl: a transfer for each URL.
struct CurlTransfers {
    /// The transfers, those between two `--next` together.
    private(set) var groups: [[CurlWords]] = []

    /// Whether the first failure ends the command: `--fail-early`, and `--as`.
    private(set) var failsEarly = false

    /// What stands behind the word.
    static let usage =
        "behind the word curl stands a command of curl, as in “bluebonnet curl -X PUT -d a=1 URL”; options of bluebonnet stand before it: “bluebonnet --as swift curl …”"

    /// Reads a command line: the word `curl` and a command of curl, behind options of ours or none.
    ///
    /// - Parameter words: The command line; nil is returned for one that holds no command of curl.
    /// - Throws: `CommandFailure` for a command without words, or an option that has no counterpart.
    init?(commandLine words: [String]) throws(CommandFailure) {
        let position = words.indices.first { index in
            guard words[index].utf8.elementsEqual("curl".utf8) else { return false }
            let before = OptionWords(Array(words[..<index]))
            return before.positional.isEmpty && !before.lacksValue && !before.endsOptions
        }
        guard let position else { return nil }
        let arguments = Array(words[(position + 1)...])
        guard !arguments.isEmpty, arguments != ["--help"], arguments != ["-h"] else {
            throw .usage(Self.usage)
        }
        let chosen = Array(words[..<position])
        let groups = try CurlArgument.read(arguments)
            .split(omittingEmptySubsequences: false) { $0.isOption("next") }
        for (index, arguments) in groups.enumerated() {
            let group = CurlGroup(arguments)
            guard !group.urls.isEmpty else {
                let place = index > 0 ? " behind --next" : groups.count > 1 ? " before --next" : ""
                throw .usage("there is no URL in the command of curl\(place)")
            }
            try self.add(group, behind: chosen)
        }
        let options = OptionWords(chosen)
        try self.check(options)
        self.join()
        // A program or a list of commands that lacks one of the requests is not what the command says.
        if options.contains("as") { self.failsEarly = true }
    }

    /// Tells each of several transfers what it shares with the others.
    private mutating func join() {
        let isSingle = self.groups.flatMap(\.self).count == 1
        let failsEarly = self.failsEarly && !isSingle
        var position = 0
        for group in self.groups.indices {
            let sharesCookies = self.groups[group].count > 1
            for index in self.groups[group].indices {
                self.groups[group][index].join(
                    position: isSingle ? nil : position,
                    sharesCookies: sharesCookies,
                    failsEarly: failsEarly
                )
                position += 1
            }
        }
    }

    private mutating func add(_ group: CurlGroup, behind chosen: [String]) throws(CommandFailure) {
        if group.failsEarly { self.failsEarly = true }
        self.groups.append(
            try group.transfers.map { (arguments) throws(CommandFailure) in
                try CurlWords(arguments, behind: chosen)
            }
        )
    }

    /// Refuses what exists once, and would be written or read by each of several transfers.
    private func check(_ chosen: OptionWords) throws(CommandFailure) {
        let transfers = self.groups.flatMap(\.self)
        guard transfers.count > 1 else { return }
        for name in ["har", "output"] where chosen.contains(name) {
            throw .usage("--\(name) is for one request, and the command of curl has several URLs: run it for each")
        }
        if transfers.contains(where: { $0.changes.data.usesStandardInput }) {
            throw .usage("standard input can be read once, and the command of curl has several URLs: name a file")
        }
        if transfers.contains(where: { ($0.changes.report.headFile ?? "-") != "-" }) {
            throw .usage(
                "curl's --dump-header with a file is for one URL here: run the command for each, or write -D -"
            )
        }
    }
}

/// The arguments between two `--next`.
private struct CurlGroup {
    private(set) var urls: [CurlArgument] = []
    /// What is for one URL each, in the order of the URLs.
    private var outputs: [CurlArgument] = []
    private var uploads: [CurlArgument] = []
    /// What is for every URL.
    private var options: [CurlArgument] = []
    private var namesAll = false
    private(set) var failsEarly = false

    init(_ arguments: ArraySlice<CurlArgument>) {
        for argument in arguments {
            switch argument {
            case .url: self.urls.append(argument)
            case .option(let option, let value):
                switch option.name {
                case "url": self.urls.append(.url(value))
                case "output", "remote-name": self.outputs.append(argument)
                case "upload-file": self.uploads.append(argument)
                case "remote-name-all": self.namesAll = true
                case "fail-early": self.failsEarly = true
                default: self.options.append(argument)
                }
            }
        }
    }

    /// The arguments of each transfer.
    var transfers: [[CurlArgument]] {
        get throws(CommandFailure) {
            try self.check(self.outputs, "--output and --remote-name")
            try self.check(self.uploads, "--upload-file")
            return self.urls.enumerated().map { index, url in
                var arguments = self.options
                if index < self.outputs.count {
                    arguments.append(self.outputs[index])
                } else if self.namesAll, let option = CurlOption.byName["remote-name"] {
                    arguments.append(.option(option, ""))
                }
                if index < self.uploads.count { arguments.append(self.uploads[index]) }
                return arguments + [url]
            }
        }
    }

    private func check(_ arguments: [CurlArgument], _ names: String) throws(CommandFailure) {
        guard arguments.count > self.urls.count else { return }
        throw .usage("there are more of curl's \(names) than URLs: each is for one URL, in their order")
    }
}
