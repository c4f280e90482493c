// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// What a command line asks for, checked and ready to be carried out.
struct RequestPlan: Sendable {
    /// The request.
    var request: Request

    /// How the engine connects.
    var transport = NIOTransport.Configuration()

    /// Whether redirects are followed.
    var followsRedirects = false

    /// Which redirects are followed.
    var redirects = RedirectPolicy.none

    /// Whether the exchanges that end in a redirect are printed, too.
    var showsRedirects = false

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

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - command: The parsed options and words.
    ///   - console: Where a body may come from, and where the output goes.
    /// - Throws: `CommandFailure` for the first thing that is wrong.
    init(_ command: RequestCommand, console: Console) throws(CommandFailure) {
        let words = try CommandWords(command.words)
        let items = try RequestItems(words.items, home: console.environment["HOME"])
        var target = try TargetURL(words.url)
        try target.append(query: items.query)
        let body = try BodyBuilder(options: command.body, items: items, console: console).build()
        let method = words.method ?? (body.isPresent ? "POST" : "GET")
        var request = Request(method: try Self.method(method), url: target.url, body: body.body)
        if let parameters = body.parameters {
            request = try body.serialize(parameters, into: request)
        }
        let authorization = try Credentials(command.connection, target: target, console: console)?.fieldValue
        request.headers = HeaderBuilder(
            body: body,
            acceptsCompression: !command.output.isDownload,
            authorization: authorization
        ).fields(
            items: items,
            serialized: request.headers
        )
        self.request = request
        let output = command.output
        self.isOffline = output.offline
        self.isDownload = output.isDownload
        self.outputPath = output.file.map { LocalFile.expanded($0, home: console.environment["HOME"]) }
        self.checksStatus = output.checkStatus || output.download
        self.style = Prettiness.style(output.pretty, for: console)
        self.parts = try output.parts(isTerminal: console.output.isTerminal)
        if self.outputPath != nil, !output.isDownload, output.pretty == nil { self.style = .plain }
        if self.isOffline, output.pretty == nil {
            // The bytes that would be sent: colours do not change them, indentation would.
            self.style.isFormatted = false
        }
        self.redirects = try command.connection.redirectPolicy(showsAll: output.all)
        self.followsRedirects = command.connection.follow
        self.showsRedirects = output.all
        // A file that is saved stays as the server has it; what is not shown need not be decoded.
        self.request.options.decodesContent = self.parts.contains(.responseBody) && !self.isDownload
        try self.apply(command.connection, environment: console.environment)
        try command.connection.tls.apply(to: &self.transport.tls, environment: console.environment)
    }

    /// How the session behaves.
    ///
    /// - Parameter observers: What is told of the exchange.
    /// - Returns: The configuration; without an engine where nothing is sent.
    func configuration(observers: [any SessionObserver]) -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.engine = self.isOffline ? nil : self.transport
        configuration.redirects = self.redirects
        if let fields = ChosenFields(self.request) { configuration.networkInterceptors = [fields] }
        configuration.observers = observers
        return configuration
    }

    /// Prints the parts of the request that were asked for.
    func requestPrinter(for sink: any OutputSink) -> RequestPrinter {
        RequestPrinter(sink: sink, style: self.style, parts: self.parts, mayConsumeBody: self.isOffline)
    }

    private static func method(_ text: String) throws(CommandFailure) -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(text) else {
            throw .usage("“\(text)” is not a method: use letters, for example GET, POST or PUT")
        }
        if text == "CONNECT" { throw .usage("CONNECT opens a tunnel and cannot be sent as a request") }
        return method
    }

    private mutating func apply(
        _ options: ConnectionOptions,
        environment: [String: String]
    ) throws(CommandFailure) {
        // What one coding can expand at most: the output is streamed, so only codings inside codings are a danger.
        self.transport.limits.maximumDecodingRatio = 1100
        self.transport.proxy = try options.proxyConfiguration(environment: environment)
        if let path = options.unixSocket {
            guard options.proxy == nil else {
                throw .usage("choose one of --proxy and --unix-socket: nothing goes to both")
            }
            guard !path.isEmpty else { throw .usage("--unix-socket takes the path of a socket") }
            self.transport.unixSocketPath = LocalFile.expanded(path, home: environment["HOME"])
        }
        if let seconds = options.timeout {
            var timeouts = Timeouts()
            timeouts.idle = try Self.duration(seconds, "--timeout")
            self.request.transport.timeouts = timeouts
        } else if self.request.headers[.accept]?.contains("text/event-stream") == true {
            // An event stream is silent for as long as nothing happens.
            var timeouts = Timeouts()
            (timeouts.requestBody, timeouts.responseHead, timeouts.responseBody) = (nil, nil, nil)
            self.request.transport.timeouts = timeouts
        }
        if let seconds = options.maxTime {
            self.request.options.totalTimeout = try Self.duration(seconds, "--max-time")
        }
        if let path = environment["SSL_CERT_FILE"], !path.isEmpty {
            // As with OpenSSL and curl: in place of the system's roots.
            for options in [\NIOTransport.Configuration.tls, \.proxyTLS] {
                self.transport[keyPath: options].trustsSystemRoots = false
                self.transport[keyPath: options].additionalRoots = [.pemFile(path)]
            }
        }
        if let path = options.cacert {
            let pem = try LocalFile.bytes(LocalFile.expanded(path, home: environment["HOME"]))
            guard String(decoding: pem, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
                throw .usage(
                    "“\(path)” holds no certificate in PEM: give the file that begins with “-----BEGIN CERTIFICATE-----”"
                )
            }
            self.transport.tls.additionalRoots.append(.pem(pem))
            self.transport.proxyTLS.additionalRoots.append(.pem(pem))
        }
    }

    /// - Returns: nil for 0, which is no limit.
    private static func duration(_ seconds: Double, _ option: String) throws(CommandFailure) -> Duration? {
        guard seconds >= 0, seconds <= 1e7 else {
            throw .usage("\(option) takes a number of seconds, for example 2.5, or 0 for no limit")
        }
        return seconds == 0 ? nil : .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}
