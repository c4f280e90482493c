// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// A transfer of a command of curl, read as a command line of ours: `bluebonnet curl …`.
struct CurlWords {
    /// The options, the method, the URL and the items as they are written here.
    private(set) var words: [String] = []

    /// What cannot be written here.
    private(set) var changes = CurlChanges()
    private var hasSpeedTime = false

    private var url: String?
    private var hasPatterns = true
    private var isGet = false
    private var isHead = false
    private var fields = CurlFields()
    private var query = CurlData()
    private var credentials = CurlCredentials()
    private var output = CurlOutput()
    private var tls = CurlTLS()
    /// The options of ours that stand before `curl`.
    private let chosen: OptionWords
    private let chosenWords: [String]

    /// Reads a transfer.
    ///
    /// - Parameters:
    ///   - arguments: Its URL and its options.
    ///   - chosen: The options of ours before it, which win over those of curl.
    /// - Throws: `CommandFailure` for an option that has no counterpart.
    init(_ arguments: [CurlArgument], behind chosen: [String] = []) throws(CommandFailure) {
        self.chosen = OptionWords(chosen)
        self.chosenWords = chosen
        // What curl does unless it is told otherwise: no redirects, the body alone, no look at .netrc.
        self.words = ["--ignore-netrc", "--ignore-stdin"]
        for argument in arguments {
            switch argument {
            case .url(let text): self.url = text
            case .option(let option, let value): try self.apply(option, value)
            }
        }
        guard let url else { throw .usage("there is no URL in the command of curl") }
        try self.finish(try CurlURL(url, hasPatterns: self.hasPatterns))
    }

    /// Notes what this transfer has from being one of several.
    ///
    /// - Parameters:
    ///   - position: Which of them it is, from 0; nil for a single one.
    ///   - sharesCookies: Whether others have the same cookies, unless none are kept.
    ///   - failsEarly: Whether its failure ends the command.
    mutating func join(position: Int?, sharesCookies: Bool, failsEarly: Bool) {
        self.changes.position = position
        if sharesCookies, self.changes.cookies.usesFiles {
            self.changes.sharedOptions.append("--cookie (from one URL to the next)")
        }
        if failsEarly { self.changes.sharedOptions.append("--fail-early") }
    }

    private mutating func apply(_ option: CurlOption, _ value: String) throws(CommandFailure) {
        switch option.meaning {
        case .ignored: break
        case .flag(let name): self.words.append("--\(name)")
        case .option(let name):
            // An option of ours expands “~”, which curl leaves to the shell.
            let namesFile = ["unix-socket", "cacert", "cert-key"].contains(name)
            self.words.append("--\(name)=\(namesFile ? LiteralPath.text(value) : value)")
        case .refused(let reason): throw .usage("curl's --\(option.name): \(reason)")
        case .special: try self.applySpecial(option.name, value)
        }
    }

    private mutating func applySpecial(_ name: String, _ value: String) throws(CommandFailure) {
        switch name {
        case "globoff": self.hasPatterns = false
        case "request": self.changes.method = try RequestPlan.method(value)
        case "head": self.isHead = true
        case "get": self.isGet = true
        case "url-query": try self.query.add(query: value)
        case "post301", "post302": self.changes.redirects.keepsPost = true
        case "max-redirs": try self.changes.redirects.limit(to: value)
        case "retry-all-errors": self.changes.retries.includesAllErrors = true
        case "user", "oauth2-bearer": self.credentials.apply(name, value)
        case "proto", "proto-redir": try self.changes.protocols.apply(name, value)
        case "verbose": self.changes.report.tracesHeads = true
        case "anyauth": self.changes.answersChallenges = true
        case "basic", "digest":
            self.changes.answersChallenges = false
            self.words.append(name == "digest" ? "--auth-type=digest" : "--no-auth-type")
        case "fail", "fail-with-body":
            self.changes.fails = true
            // The last of the two decides, as in curl.
            self.changes.omitsErrorBody = name == "fail"
        case "connect-timeout", "limit-rate", "resolve", "http1.1", "http2-prior-knowledge", "ipv4", "ipv6":
            try self.changes.connection.apply(name, value)
        case "speed-limit", "speed-time": try self.limitSilence(name, value)
        case "cert", "cert-type", "tls-max", "tlsv1.2", "tlsv1.3": try self.tls.apply(name, value)
        case "upload-file": self.changes.upload = value.isEmpty ? nil : value == "." ? "-" : value
        case "output", "remote-name", "remote-header-name", "continue-at", "silent", "write-out", "dump-header",
            "output-dir", "create-dirs", "include", "compressed":
            try self.applyOutput(name, value)
        default: try self.applyContent(name, value)
        }
    }

    /// Reads `--speed-limit 1` and `--speed-time`, which are the read timeout: 30 seconds unless given.
    private mutating func limitSilence(_ name: String, _ value: String) throws(CommandFailure) {
        if name == "speed-time" {
            self.hasSpeedTime = true
            self.words.append("--timeout=\(value)")
            return
        }
        guard value == "1" else {
            throw .usage(
                "curl's --speed-limit counts bytes; here a transfer fails only if no bytes arrive: write --speed-limit 1"
            )
        }
        if !self.hasSpeedTime { self.words.append("--timeout=30") }
    }

    /// An option that says where the body goes.
    private mutating func applyOutput(_ name: String, _ value: String) throws(CommandFailure) {
        switch name {
        case "output": self.output.file = value
        case "write-out": self.changes.report.format = try CurlWriteOut(value)
        case "dump-header": self.changes.report.headFile = value
        case "remote-name": self.output.usesNameOfURL = true
        case "output-dir": self.output.folder = value.isEmpty ? nil : value
        case "include": self.output.includesHeads = true
        case "compressed": self.output.isDecoded = true
        case "create-dirs": self.changes.createsFolders = true
        case "remote-header-name": self.output.usesNameOfServer = true
        case "continue-at":
            guard value.utf8.elementsEqual("-".utf8) else {
                throw .usage("curl's --continue-at goes on where the file ends: write “-C -”; for a part, --range")
            }
            self.output.continues = true
        default: self.changes.isSilent = true
        }
    }

    /// An option that adds to the header fields or the body.
    private mutating func applyContent(_ name: String, _ value: String) throws(CommandFailure) {
        switch name {
        case "header": try self.addHeader(value)
        case "time-cond": self.fields.timeCondition = try CurlTimeCondition(value)
        case "user-agent": self.fields.userAgent = value
        case "referer": self.setReferer(value)
        case "range": self.fields.range = Self.range(value)
        case "cookie" where value.starts(withScalars: "@"):
            try self.changes.cookies.read(String(value.droppingScalars(1)))
        case "cookie" where value.contains(scalar: "="): self.changes.cookies.add(value)
        case "cookie": try self.changes.cookies.read(value)
        case "cookie-jar": try self.changes.cookies.write(value)
        case "data", "data-ascii": self.changes.data.add(value, removesLines: true)
        case "data-binary": self.changes.data.add(value, removesLines: false)
        case "data-raw": self.changes.data.add(value)
        case "data-urlencode": try self.changes.data.add(encoding: value)
        case "json":
            self.changes.data.add(value, removesLines: false, isJoined: true)
            self.fields.isJSON = true
        case "form", "form-string":
            self.changes.parts.append(try CurlFormPart(value, isLiteral: name == "form-string"))
        default: break
        }
    }

    /// The ranges of a value: a number without a hyphen is the first byte of the rest, as in curl.
    private static func range(_ value: String) -> String {
        let digits = value.utf8.prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty, !value.contains(scalar: "-") else { return value }
        return String(decoding: digits, as: UTF8.self) + "-"
    }

    /// The part “;auto” at the end, or alone, is about redirects.
    private mutating func setReferer(_ text: String) {
        let automatic = ";auto"
        self.changes.redirects.namesReferringURL = text.ends(withScalars: automatic)
        let dropped = self.changes.redirects.namesReferringURL ? automatic.unicodeScalars.count : 0
        let referer = String(text.unicodeScalars.dropLast(dropped))
        self.fields.referer = referer.isEmpty ? nil : referer
    }

    /// Adds a field, or those of a file, one in each line that does not begin with “#”.
    private mutating func addHeader(_ text: String) throws(CommandFailure) {
        if text.starts(withScalars: "@") {
            let path = String(text.droppingScalars(1))
            guard path != "-" else { throw .usage("curl's --header with “@-” has no counterpart here: name a file") }
            for line in try LocalFile.text(path).unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
                let text = String(line)
                if !text.starts(withScalars: "#") { try self.addField(text) }
            }
        } else {
            try self.addField(text)
        }
    }

    private mutating func addField(_ text: String) throws(CommandFailure) {
        if let (name, value) = text.split(atScalar: ":") {
            // It follows from the body, whatever a browser has counted.
            if name.isASCIIWord("content-length") { return }
            if name.isASCIIWord("transfer-encoding") {
                if value.trimmingBlanks.isEmpty { return }
                if value.trimmingBlanks.isASCIIWord("chunked") {
                    self.changes.isChunked = true
                    return
                }
            }
        }
        try self.fields.add(text)
    }

    private mutating func finish(_ url: CurlURL) throws(CommandFailure) {
        var url = url
        if !self.query.isEmpty { url.add(query: try self.query.query) }
        let hasQueryData = self.isGet && !self.changes.data.isEmpty
        if hasQueryData {
            url.add(query: try self.changes.data.query)
            self.changes.data = CurlData()
        }
        let hasData = !self.changes.data.isEmpty
        let hasForm = !self.changes.parts.isEmpty
        let uploads = self.changes.upload != nil
        // Data in the query is compatible with --head alone.
        guard [hasData, hasForm, uploads, self.isHead].count(where: { $0 }) <= 1,
            !hasQueryData || !hasForm && !uploads
        else {
            throw .usage("the command of curl asks for more than one kind of request: data, a form, a file, or --head")
        }
        guard !hasForm || !self.fields.removes("content-type") else {
            throw .usage("nobody could read a form without its Content-Type, which has its boundary: leave that -H out")
        }
        if let upload = self.changes.upload, upload != "-" {
            if self.hasPatterns, upload.unicodeScalars.contains(where: { "[]{}".unicodeScalars.contains($0) }) {
                throw .usage("brackets and braces in --upload-file stand for several files in curl: add --globoff")
            }
            url.add(nameOfFile: upload)
        }
        guard self.changes.upload == nil || !self.output.continues else {
            throw .usage("curl's --continue-at with --upload-file has no counterpart: send a part, and write --range")
        }
        if hasData || hasForm || uploads, let range = self.fields.range {
            // It says which part the body is, and of a form nothing.
            self.fields.range = nil
            if !hasForm, !self.fields.contains("content-range") {
                self.changes.contentRange = CurlContentRange(text: range)
            }
        }
        self.output.isHeadOnly = self.isHead
        // A download saves the bytes that come.
        if self.output.isDecoded, self.output.isDownload { self.fields.dropAcceptEncoding() }
        self.words += self.credentials.words
        if self.chosen.contains("max-redirects") { self.changes.redirects.maximumCount = nil }
        if self.changes.report.headFile == "-", !self.output.isFile {
            // Before the body, not behind it.
            self.changes.report.headFile = nil
            self.output.includesHeads = true
        }
        self.changes.showsAllHeads = self.isHead || self.output.includesHeads
        self.words += try self.output.words(for: url) + self.tls.words
        if self.chosen.contains("offline") || self.chosen.contains("as") {
            // What curl shows and saves of the response says nothing about a request that is not sent.
            self.words += ["--no-print", "--no-headers", "--no-body", "--no-output", "--no-continue"]
            self.changes.isSilent = false
            if self.chosen.contains("offline") { self.words.append("--no-download") }
        }
        if self.chosen.contains("auth") { self.changes.credentialOption = "--auth" }
        // The field that is written is sent in place of credentials, whatever the server asks for.
        if self.fields.contains("authorization") { self.changes.answersChallenges = false }
        self.words += self.chosenWords
        if self.fields.contains("referer") {
            // The field is sent with every request.
            self.changes.redirects.namesReferringURL = false
            self.changes.report.referer = self.fields.referer ?? ""
        }
        self.finishCookies()
        self.changes.derivedFields = self.fields.derived
        self.changes.hasDefaultAccept = self.fields.hasDefaultAccept
        let method = hasData || hasForm ? "POST" : uploads ? "PUT" : self.isHead ? "HEAD" : "GET"
        // A form's boundary is added when it is made.
        let mediaType = hasData ? "application/x-www-form-urlencoded" : hasForm ? "multipart/form-data" : nil
        // A method of --request is none of the words: it may be any token, and could be read as a host. A URL may begin
        // with a hyphen as well as an item may.
        self.words += ["--", method, url.text] + self.fields.items(mediaType: mediaType)
    }

    /// Decides where the cookies of the command stand: in a field, or beside those that are kept.
    private mutating func finishCookies() {
        if self.chosen.contains("as") {
            // No file is read for it, so that there is nothing that they could be joined with.
            self.fields.cookie = self.changes.cookies.joined
        } else {
            // The Cookie field of a request would keep those of the files from being sent.
            if self.changes.cookies.usesFiles, let written = self.fields.takeCookies() {
                self.changes.cookies.replace(with: written)
            }
            self.fields.cookie = self.changes.cookies.field
        }
    }
}
