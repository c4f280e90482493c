// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension RequestCommandLine where Role == RequestRole {
    /// Creates the command from a valid command line.
    ///
    /// The argument parser discovers the options by reflection each time the program starts, which takes as long as the
    /// rest of a small request. It is only used to report errors in a command line; a test compares both.
    ///
    /// - Parameter words: The command line; nil is returned if it needs the argument parser.
    init?(_ words: OptionWords) {
        let isComplete = words.options.allSatisfy { $0.option.takesValue == ($0.value != nil) }
        guard isComplete, words.unknown.isEmpty, !words.positional.isEmpty, !words.contains("help"),
            !words.contains("version")
        else { return nil }
        self.init()
        self.positional = RequestRole.Words()
        self.positional.words = words.positional
        do throws(UnreadOption) {
            self.body = try BodyOptions(words)
            self.output = try OutputOptions(words)
            self.action = try ActionOptions(words)
            self.format = try FormatCommandOptions(words)
            self.download = try DownloadCommandOptions(words)
            self.authentication = try AuthenticationOptions(words)
            self.connection = try ConnectionOptions(words)
            self.tls = try TLSCommandOptions(words)
        } catch {
            return nil
        }
    }
}

/// The error for an invalid option value.
private struct UnreadOption: Error {}

extension OptionWords {
    /// Returns the number of effective occurrences of an option.
    fileprivate func count(_ name: String) -> Int { self.options.count { $0.option.name == name } }

    fileprivate func values(_ name: String) -> [String] {
        self.options.filter { $0.option.name == name }.compactMap(\.value)
    }

    fileprivate func number<Number: LosslessStringConvertible>(_ name: String) throws(UnreadOption) -> Number? {
        guard let text = self.value(of: name) else { return nil }
        guard let number = Number(text) else { throw UnreadOption() }
        return number
    }

    fileprivate func word<Word: OptionWord>(_ name: String) throws(UnreadOption) -> Word? {
        guard let text = self.value(of: name) else { return nil }
        guard let word = Word(rawValue: text) else { throw UnreadOption() }
        return word
    }
}

extension BodyOptions {
    fileprivate init(_ words: OptionWords) throws(UnreadOption) {
        self.init()
        self.json = words.contains("json")
        self.form = words.contains("form")
        self.multipart = words.contains("multipart")
        self.plist = words.contains("plist")
        self.parameters = words.value(of: "parameters")
        self.raw = words.value(of: "raw")
        self.boundary = words.value(of: "boundary")
        self.compress = words.count("compress")
        self.chunked = words.contains("chunked")
        self.ignoreStdin = words.contains("ignore-stdin")
    }
}

extension OutputOptions {
    fileprivate init(_ words: OptionWords) throws(UnreadOption) {
        self.init()
        self.offline = words.contains("offline")
        self.print = words.value(of: "print")
        self.verbose = words.count("verbose")
        self.all = words.contains("all")
        self.headers = words.contains("headers")
        self.body = words.contains("body")
        self.meta = words.contains("meta")
        self.quiet = words.count("quiet")
        self.checkStatus = words.contains("check-status")
        self.debug = words.contains("debug")
        self.har = words.value(of: "har")
    }
}

extension ActionOptions {
    fileprivate init(_ words: OptionWords) throws(UnreadOption) {
        self.init()
        self.exportForm = try words.word("as")
        self.explain = words.contains("explain")
        self.sse = words.contains("sse")
        self.bench = try words.number("bench")
        self.parallel = try words.number("parallel")
        self.resumable = try words.word("resumable")
    }
}

extension FormatCommandOptions {
    fileprivate init(_ words: OptionWords) throws(UnreadOption) {
        self.init()
        self.pretty = try words.word("pretty")
        self.style = try words.word("style") ?? .auto
        self.sorted = words.contains("sorted")
        self.unsorted = words.contains("unsorted")
        self.formatOptions = words.values("format-options")
        self.responseCharset = words.value(of: "response-charset")
        self.responseMime = words.value(of: "response-mime")
        self.stream = words.contains("stream")
        self.pictures = try words.word("pictures") ?? .auto
    }
}

extension DownloadCommandOptions {
    fileprivate init(_ words: OptionWords) throws(UnreadOption) {
        self.init()
        self.download = words.contains("download")
        self.output = words.value(of: "output")
        self.resumes = words.contains("continue")
        self.digest = words.value(of: "sha256")
    }
}

extension AuthenticationOptions {
    fileprivate init(_ words: OptionWords) throws(UnreadOption) {
        self.init()
        self.auth = words.value(of: "auth")
        self.authType = try words.word("auth-type")
        self.ignoreNetrc = words.contains("ignore-netrc")
        self.session = words.value(of: "session")
        self.sessionReadOnly = words.value(of: "session-read-only")
    }
}

extension ConnectionOptions {
    fileprivate init(_ words: OptionWords) throws(UnreadOption) {
        self.init()
        self.timeout = try words.number("timeout")
        self.maxTime = try words.number("max-time")
        self.follow = words.contains("follow")
        self.maxRedirects = try words.number("max-redirects")
        self.retry = try words.number("retry")
        self.pathAsIs = words.contains("path-as-is")
        self.defaultScheme = try words.word("default-scheme") ?? .http
        self.proxy = words.value(of: "proxy")
        self.noproxy = words.value(of: "noproxy")
        self.unixSocket = words.value(of: "unix-socket")
    }
}

extension TLSCommandOptions {
    fileprivate init(_ words: OptionWords) throws(UnreadOption) {
        self.init()
        self.cacert = words.value(of: "cacert")
        self.verify = words.value(of: "verify")
        self.trust = words.value(of: "trust")
        self.cert = words.value(of: "cert")
        self.key = words.value(of: "cert-key")
        self.keyPassword = words.value(of: "cert-key-pass")
        self.ciphers = words.value(of: "ciphers")
        self.tlsMin = try words.word("tls-min")
        self.tlsOnly = try words.word("ssl")
    }
}
