// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A command line of curl, read as one of ours: `bluebonnet curl …`.
struct CurlWords {
    /// The options, the method, the URL and the items as they are written here.
    private(set) var words: [String] = []

    private var url: String?
    private var method: String?
    private var data: [String] = []
    private var isForm = false
    private var isGet = false
    private var items: [String] = []
    private var hasContentType = false

    /// Reads a command line.
    ///
    /// - Parameter arguments: The words after `curl`.
    /// - Throws: `CommandFailure` for an option that has no counterpart.
    init(_ arguments: [String]) throws(CommandFailure) {
        // What curl does unless it is told otherwise: no redirects, the body alone, no look at .netrc.
        self.words = ["--ignore-netrc", "--ignore-stdin"]
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word.starts(withScalars: "--"), word.utf8.count > 2 {
                try self.read(word, &rest)
            } else if word.starts(withScalars: "-"), word.utf8.count > 1 {
                try self.readLetters(word, &rest)
            } else {
                try self.readURL(word)
            }
        }
        guard let url else { throw .usage("there is no URL in the command of curl") }
        try self.finish(url)
    }

    private mutating func readURL(_ word: String) throws(CommandFailure) {
        guard self.url == nil else { throw .usage("the command of curl has more than one URL: run it for each") }
        self.url = word
    }

    private mutating func readLetters(
        _ word: String,
        _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) {
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = CurlOption.byLetter[letter] else {
                throw .usage("curl's -\(letter) has no counterpart here: leave it out")
            }
            guard option.takesValue else {
                try self.apply(option, "")
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else { throw Self.lacksValue(option) }
            try self.apply(option, value)
            return
        }
    }

    private mutating func read(_ word: String, _ rest: inout ArraySlice<String>) throws(CommandFailure) {
        guard let option = CurlOption.byName[String(word.droppingScalars(2))] else {
            throw .usage("curl's \(word) has no counterpart here: leave it out")
        }
        guard let value = option.takesValue ? rest.popFirst() : "" else { throw Self.lacksValue(option) }
        try self.apply(option, value)
    }

    private static func lacksValue(_ option: CurlOption) -> CommandFailure {
        .usage("curl's --\(option.name) lacks its value")
    }

    private mutating func apply(_ option: CurlOption, _ value: String) throws(CommandFailure) {
        switch option.meaning {
        case .ignored: break
        case .flag(let name): self.words.append("--\(name)")
        case .option(let name): self.words.append("--\(name)=\(value)")
        case .pair(let name, let constant): self.words += ["--\(name)=\(value)", constant]
        case .refused(let reason): throw .usage("curl's --\(option.name): \(reason)")
        case .special: try self.applySpecial(option.name, value)
        }
    }

    private mutating func applySpecial(_ name: String, _ value: String) throws(CommandFailure) {
        switch name {
        case "url": try self.readURL(value)
        case "request": self.method = value
        case "head": (self.method, self.words) = (self.method ?? "HEAD", self.words + ["--headers"])
        case "get": self.isGet = true
        case "header": try self.addHeader(value)
        case "user-agent": self.items.append("User-Agent:\(Self.escaped(value))")
        case "referer": self.items.append("Referer:\(Self.escaped(value))")
        case "cookie":
            guard value.contains(scalar: "=") else {
                throw .usage("curl's --cookie with a file has no counterpart here: use --session ./FILE.json")
            }
            self.items.append("Cookie:\(Self.escaped(value))")
        case "data", "data-ascii": self.data.append(try Self.text(value, removesLines: true))
        case "data-binary": self.data.append(try Self.text(value, removesLines: false))
        case "data-raw": self.data.append(value)
        case "data-urlencode": self.data.append(try Self.encoded(value))
        case "json":
            self.data.append(try Self.text(value, removesLines: false))
            if !self.hasContentType { self.items += ["Content-Type:application/json", "Accept:application/json"] }
            self.hasContentType = true
        case "form", "form-string": try self.addPart(value, isLiteral: name == "form-string")
        case "upload-file":
            self.method = self.method ?? "PUT"
            self.items.append("@\(value)")
        default: break
        }
    }

    private mutating func addHeader(_ text: String) throws(CommandFailure) {
        if text.ends(withScalars: ";"), !text.contains(scalar: ":") {
            self.items.append(text)
            return
        }
        guard let (name, value) = text.split(atScalar: ":") else { throw .usage("“\(text)” is no header of curl’s") }
        if name.isASCIIWord("content-type") { self.hasContentType = true }
        self.items.append("\(name):\(Self.escaped(String(value.trimmingBlanks)))")
    }

    private mutating func addPart(_ text: String, isLiteral: Bool) throws(CommandFailure) {
        guard let (written, value) = text.split(atScalar: "=") else { throw .usage("“\(text)” is no part of a form") }
        self.isForm = true
        let name = Self.escapedName(String(written))
        if isLiteral || !(value.starts(withScalars: "@") || value.starts(withScalars: "<")) {
            self.items.append("\(name)=\(Self.escaped(String(value)))")
        } else {
            let isFile = value.starts(withScalars: "@")
            self.items.append("\(name)\(isFile ? "@" : "=@")\(value.droppingScalars(1))")
        }
    }

    private mutating func finish(_ url: String) throws(CommandFailure) {
        var url = url
        let data = self.data.joined(separator: "&")
        if self.isGet, !data.isEmpty {
            url += (url.contains(scalar: "?") ? "&" : "?") + data
        } else if !self.data.isEmpty {
            self.words.append("--raw=\(data)")
            if !self.hasContentType { self.items.append("Content-Type:application/x-www-form-urlencoded") }
        }
        if self.isForm { self.words.append("--multipart") }
        let hasBody = !self.data.isEmpty && !self.isGet || self.isForm
        self.words += [self.method ?? (hasBody ? "POST" : "GET"), url, "--"] + self.items
    }

    /// A value whose first character would make another separator of the one before it.
    private static func escaped(_ value: String) -> String {
        ["=", "@", ":"].contains { value.starts(withScalars: $0) } ? "\\" + value : value
    }

    /// A name in which separators are ordinary characters.
    private static func escapedName(_ name: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if ":;=@".unicodeScalars.contains(scalar) { escaped.append("\\") }
            escaped.append(scalar)
        }
        return String(escaped)
    }

    /// A value, or the content of the file behind an `@`.
    private static func text(_ value: String, removesLines: Bool) throws(CommandFailure) -> String {
        guard value.starts(withScalars: "@") else { return value }
        guard value != "@-" else { throw .usage("curl’s “@-” has no counterpart here: name a file") }
        let text = try LocalFile.text(String(value.droppingScalars(1)))
        return removesLines
            ? String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" })) : text
    }

    /// A value of `--data-urlencode`.
    private static func encoded(_ value: String) throws(CommandFailure) -> String {
        guard let (name, content) = value.split(atScalar: "=") else {
            if let (name, path) = value.split(atScalar: "@") {
                let pair = FormPair.encode(String(name), try LocalFile.text(String(path)))
                return name.isEmpty ? String(pair.droppingScalars(1)) : pair
            }
            return String(FormPair.encode("", value).droppingScalars(1))
        }
        let encoded = FormPair.encode("", String(content))
        return name.isEmpty ? String(encoded.droppingScalars(1)) : name + encoded
    }
}
