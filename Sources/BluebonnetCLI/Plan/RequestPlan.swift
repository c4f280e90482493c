// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// What a command line asks for, checked and ready to be carried out.
struct RequestPlan: Sendable {
    /// The request.
    var request: Request

    /// How the engine connects.
    var transport = NIOTransport.Configuration()

    /// The connections of other requests, which this one uses; nil for its own.
    var connections: (any Transport)?

    /// Whether redirects are followed.
    var followsRedirects = false

    /// Which redirects are followed.
    var redirects = RedirectPolicy.none

    /// Whether the exchanges that end in a redirect are printed, too.
    var showsRedirects = false

    /// Whether the heads of all responses are printed, where that of the last one is.
    var showsAllHeads = false

    /// What is printed.
    var parts: PrintParts

    /// How it is formatted.
    var style: OutputStyle

    /// Whether nothing is sent.
    var isOffline: Bool

    /// Whether the response's body becomes a file with a name of its own.
    var isDownload: Bool

    /// The file that takes the output, if one was named.
    var outputPath: String?

    /// Whether the status of the response becomes the exit status.
    var checksStatus: Bool

    /// Whether the body of a response with a status of 400 or more is left out, and an error said instead.
    var omitsErrorBody = false

    /// Whether it is a command of curl.
    ///
    /// For such a command a 304 is a success of a download, a redirect is no failure, and what has come of a body that
    /// breaks off stays in the file.
    var isOfCurl = false

    /// How a file is saved.
    var download = DownloadPolicy()

    /// The options that would keep what has arrived of a file that is interrupted.
    var resumingOptions: String

    /// The file that takes a record of the exchanges; nil for none.
    var archivePath: String?
    /// How pictures are shown on a terminal.
    var pictures = PictureChoice.auto
    /// Which attempts are repeated.
    var retries = RetryPolicy.never
    /// Which transfers are repeated as a whole; nil for none.
    var transferRetries: TransferRetries?

    /// What is kept from one request to the next; nil for nothing.
    var session: SessionFile?

    /// What else is changed in the session's configuration.
    var adjustments: [@Sendable (inout Session.Configuration) -> Void] = []

    /// Whether the session's file stays as it is.
    var isSessionReadOnly = false

    /// The media type as which the response is printed; nil for its own.
    var responseContent = ResponseContent()

    /// What is done with the request.
    var action: ActionOptions.Action

    /// What `--as` carries over besides the request.
    var exported: ExportedOptions

    /// What it proves its identity with.
    var credentials: Credentials?

    /// What each item of the command line became; nothing unless that is asked for.
    var itemNotes: [String] = []

    /// Whether it is told how the server was reached.
    var isExplained: Bool

    /// Whether the events of the session are told.
    var isDebugging: Bool

    /// Whether more than one exchange can come of the request, so that what is printed of it waits for the last one.
    var mayRepeat: Bool {
        self.followsRedirects || self.request.authentication != nil || self.retries.maximumAttempts > 1
    }

    /// Whether anything is sent.
    var sends: Bool {
        if case .export = self.action { false } else { !self.isOffline }
    }

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - command: The parsed options and words.
    ///   - console: Where a body may come from, and where the output goes.
    ///   - changes: What a command of curl asks for besides; there an Authorization field overrides credentials.
    /// - Throws: `CommandFailure` for the first thing that is wrong.
    init(_ command: RequestCommand, console: Console, curl changes: CurlChanges? = nil) throws(CommandFailure) {
        let environment = console.environment
        let words = try CommandWords(command.words)
        var items = try RequestItems(words.items, home: environment["HOME"])
        var target = try TargetURL(
            words.url,
            defaultScheme: command.connection.defaultScheme.rawValue,
            keepsDotSegments: command.connection.pathAsIs
        )
        try target.append(query: items.query)
        let hasCredentials = command.authentication.auth != nil || target.userInfo != nil
        if hasCredentials, changes == nil, items.headers.contains(where: { $0.name == .authorization }) {
            throw .usage(
                "the item “Authorization” and the credentials of --auth or the URL set the same field: give one of them"
            )
        }
        try self.session = Self.session(command.authentication, target.url, environment, hasCredentials)
        self.session?.absorb(&items, for: target.url, except: changes?.derivedFields ?? [])
        if changes?.hasDefaultAccept == true, self.session?.headers.contains(where: { $0.name == .accept }) == true {
            _ = items.takeHeaders(named: .accept)
        }
        self.isSessionReadOnly = command.authentication.sessionReadOnly != nil
        // A body that is written down stays what it is.
        let isChunked = command.body.chunked && command.action.exportForm == nil
        // A body that is sent many times has to be read first.
        let streamsInput = isChunked && command.action.bench == nil
        var body = try BodyBuilder(options: command.body, items: items, console: console, streamsInput: streamsInput)
            .build()
        // That of curl as it is written, for it may be any token; a word in capitals.
        var method = try Self.method(words.method ?? (body.isPresent ? "POST" : "GET"))
        if let own = changes?.method { method = own }
        var request = Request(method: method, url: target.url, body: body.body)
        if let parameters = body.parameters {
            request = try body.serialize(parameters, into: request)
        }
        try BodyTransformation(compression: command.body.compress, isChunked: isChunked)
            .apply(to: &request.body, &body.contentCoding)
        let search = CredentialSearch(
            options: command.authentication,
            target: target,
            session: self.session,
            console: console,
            option: changes?.credentialOption ?? "--auth"
        )
        let credentials = try search.credentials()
        if hasCredentials { self.session?.credentials = credentials }
        request.authentication = credentials?.policy
        request.headers = HeaderBuilder(
            body: body,
            acceptsCompression: !command.download.isDownload,
            authorization: credentials?.fieldValue,
            stored: self.session?.headers ?? []
        ).fields(
            items: items,
            serialized: request.headers
        )
        self.request = request
        let output = command.output
        self.isOffline = output.offline
        self.isDebugging = output.debug
        self.exported = ExportedOptions(command, items, home: environment["HOME"])
        self.action = try command.action.action(isDownload: command.download.isDownload)
        self.credentials = credentials
        self.isExplained = command.action.explain
        self.isDownload = command.download.isDownload
        self.outputPath = command.download.file.map { LocalFile.expanded($0, home: environment["HOME"]) }
        self.resumingOptions = self.outputPath == nil ? "--continue --output FILE" : "--continue"
        self.checksStatus = output.checkStatus || command.download.download
        self.style = try command.format.style(for: console)
        self.responseContent = try command.format.responseContent
        self.parts = try output.parts(isTerminal: console.output.isTerminal, command.download)
        if self.outputPath != nil, !self.isDownload, command.format.pretty == nil { self.style = .plain }
        if self.isOffline, command.format.pretty == nil {
            // The bytes that would be sent: colours do not change them, indentation would.
            self.style.isFormatted = false
        }
        self.redirects = try command.connection.redirectPolicy(showsAll: output.all)
        self.followsRedirects = command.connection.follow
        self.showsRedirects = output.all
        self.download = try command.download.policy
        if self.isDownload { self.download.parallelism = try command.action.partCount }
        self.archivePath = output.har.map { LocalFile.expanded($0, home: environment["HOME"]) }
        self.pictures = command.format.pictures
        // A file that is saved stays as the server has it; what is not shown need not be decoded.
        let isRead = self.parts.contains(.responseBody) || self.archivePath != nil
        self.request.options.decodesContent = isRead && !self.isDownload
        try self.apply(command.connection, environment: environment)
        try command.tls.apply(to: &self.transport, environment: environment)
        let identity = try command.tls.identity(home: environment["HOME"])
        if changes == nil {
            // As all credentials it stays on the origin of the request.
            self.adjustments.append { $0.transportOptions.clientIdentity = identity }
        } else {
            // curl shows it to every server.
            self.transport.tls.clientIdentity = identity
        }
        if target.url.scheme == "https" { try command.tls.checkRoots(environment) }
        if command.action.explain { self.itemNotes = try ItemNote.texts(words.items) }
        try self.checkAction()
    }

    /// Whether the action fits the rest.
    private func checkAction() throws(CommandFailure) {
        if self.archivePath != nil {
            guard !self.isOffline else { throw .usage("--har records an exchange, and --offline has none") }
            switch self.action {
            case .send, .readEvents, .upload: break
            case .export: throw .usage("--har records an exchange, and --as has none")
            case .bench: throw .usage("--har records single exchanges: leave out --bench")
            }
        }
        if self.isExplained || self.isDebugging {
            let option = self.isExplained ? "--explain" : "--debug"
            guard !self.isOffline else { throw .usage("\(option) reports an exchange, and --offline has none") }
            if case .export = self.action { throw .usage("\(option) reports an exchange, and --as has none") }
        }
        guard case .upload = self.action else { return }
        guard !self.isOffline else { throw .usage("--resumable asks the server how to go on: leave out --offline") }
        guard case .file = self.request.body else {
            throw .usage("--resumable uploads one file, unchanged: write @FILE after the URL, and no other data")
        }
        guard self.request.method == .post || self.request.method == .put else {
            throw .usage(
                "--resumable sends a file with POST, or with PUT where the server wants that: leave out the method"
            )
        }
    }

    private static func session(
        _ options: AuthenticationOptions,
        _ url: URL,
        _ environment: [String: String],
        _ replacesCredentials: Bool
    ) throws(CommandFailure) -> SessionFile? {
        guard let name = options.session ?? options.sessionReadOnly else { return nil }
        return try SessionFile(name, for: url, environment: environment, replacesCredentials: replacesCredentials)
    }

    /// How the session behaves.
    ///
    /// - Parameter observers: What is told of the exchange.
    /// - Returns: The configuration; without an engine where nothing is sent.
    func configuration(observers: [any SessionObserver]) -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.engine = self.isOffline ? nil : self.transport
        configuration.redirects = self.redirects
        configuration.retries = self.retries
        // One command is no crowd of clients: what a person asks for is done.
        configuration.retryBudget = nil
        // What a redirect sets is for the requests that follow it, also where nothing is kept for the next command.
        configuration.cookies = self.session?.cookies ?? (self.followsRedirects ? CookieJar() : nil)
        if let fields = ChosenFields(self.request) { configuration.networkInterceptors = [fields] }
        configuration.observers = observers
        for adjust in self.adjustments { adjust(&configuration) }
        return configuration
    }

    /// Prints the parts of the request that were asked for.
    func requestPrinter(for sink: any OutputSink) -> RequestPrinter {
        RequestPrinter(sink: sink, style: self.style, parts: self.parts, mayConsumeBody: self.isOffline)
    }

    /// Reads a method.
    ///
    /// - Throws: `CommandFailure` for what is no token (RFC 9110 section 5.6.2), and for CONNECT.
    static func method(_ text: String) throws(CommandFailure) -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(text) else {
            throw .usage("“\(text)” is not a method: use letters, for example GET, POST or PUT")
        }
        if text == "CONNECT" { throw .usage("CONNECT opens a tunnel and cannot be sent as a request") }
        return method
    }
}
