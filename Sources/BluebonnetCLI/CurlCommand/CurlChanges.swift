// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// What a command of curl asks for that no option of ours says: it is written into the plan.
struct CurlChanges: Sendable {
    /// The body of `--data` and its relatives.
    var data = CurlData()

    /// The parts of a form.
    var parts: [CurlFormPart] = []

    /// The file of `--upload-file`; “-” for standard input.
    var upload: String?

    /// Which part of a whole the body is; nil where nothing says so.
    var contentRange: CurlContentRange?

    /// Whether the length of the body is kept from the server.
    var isChunked = false

    /// The method of every request, redirects included.
    var method: HTTPRequest.Method?

    /// How redirects are followed.
    var redirects = CurlRedirects()

    /// Which requests are sent again.
    var retries = CurlRetries()

    /// The fields that follow from options or from curl itself, in lower case: no session keeps them.
    var derivedFields: Set<String> = []

    /// Whether Accept is the one that curl sends unless it is told otherwise.
    var hasDefaultAccept = false

    /// The protocols that are allowed.
    var protocols = CurlProtocols()

    /// Whether the folder of the file that is written is made.
    var createsFolders = false

    /// How the server is reached.
    var connection = CurlConnection()

    /// The cookies that are read from files, and written to one.
    var cookies = CurlCookies()

    /// What is written when all is done.
    var report = CurlReport()

    /// Whether the heads of redirects, challenges and failed attempts are shown, too, where those of responses are.
    var showsAllHeads = false

    /// Whether progress and notes are hidden.
    var isSilent = false

    /// The option that user and password were given with.
    var credentialOption = "-u"

    /// Whether the server chooses how credentials are sent.
    var answersChallenges = false

    /// The options that connect the transfers of a command, which are lost where each stands alone.
    var sharedOptions: [String] = []

    /// Which of several transfers of the command this is, from 0; nil for a single one.
    var position: Int?

    /// Whether a status of 400 or more is a failure.
    var fails = false

    /// Whether the body of such a response is not printed: `--fail`, not `--fail-with-body`.
    var omitsErrorBody = false

    /// Changes a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan, made of our own options.
    ///   - console: Where standard input comes from.
    /// - Throws: `CommandFailure` for a file that cannot be read, or a value that makes no sense.
    func apply(to plan: inout RequestPlan, _ console: Console) throws(CommandFailure) {
        let isExport = if case .export = plan.action { true } else { false }
        try self.applyBody(to: &plan.request, console, isChunked: !isExport && (self.isChunked || self.upload == "-"))
        if isExport { try self.export(to: &plan.exported) }
        self.connection.apply(to: &plan, console.environment)
        plan.resumingOptions = "-C -"
        plan.showsAllHeads = self.showsAllHeads
        if self.fails { plan.checksStatus = true }
        // Where the body was to be saved, that of an error is not for standard output.
        plan.omitsErrorBody = self.omitsErrorBody || plan.isDownload && !self.fails
        plan.isOfCurl = true
        // Without --location a redirect is a response like any other, but none that an earlier download goes on with.
        if plan.download.resume != .always {
            let refused = plan.followsRedirects ? RequestPlan.redirectStatuses.union([304]) : [304]
            plan.download.validation.acceptableStatusCodes = Set(200..<400).subtracting(refused)
        }
        if self.answersChallenges, !isExport, case .basic(let user, let password)? = plan.credentials {
            plan.request.headers[fields: .authorization] = []
            plan.request.authentication = .password(user, password)
        }
        try self.protocols.apply(to: plan)
        self.retries.apply(to: &plan, fails: self.fails)
        plan.transferRetries = self.retries.transferRetries(of: plan)
        self.redirects.apply(to: &plan, method: self.method, isUpload: self.upload != nil, self.protocols)
    }

    /// Carries out a plan that has been changed, and writes what is to be written at its end.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - console: Where the request and the response are printed.
    ///   - loudConsole: Where the rest is written, whatever is silenced.
    ///   - connections: What the transfers of the command share.
    /// - Returns: What the process ends with: a redirect that is not followed is no failure in curl.
    /// - Throws: What sending the request throws.
    func run(
        _ plan: RequestPlan,
        on console: Console,
        _ loudConsole: Console,
        over connections: inout CurlConnections
    ) async throws -> CommandStatus {
        var plan = plan
        let cookies = try self.cookies.apply(to: &plan, connections.cookies)
        connections.cookies = cookies
        connections.join(&plan)
        // Nothing is written about a response that is not asked for.
        guard plan.sends else { return try await RequestRun(plan: plan, console: console).run() }
        if self.createsFolders, let path = plan.outputPath { try Self.makeFolder(of: path, console) }
        let written = try self.report.begin(&plan, loudConsole)
        do {
            let status = try await RequestRun(plan: plan, console: console).run()
            // Where nothing is sent, no cookie comes: the file keeps those that it has.
            if !plan.isOffline { try self.cookies.save(cookies, console) }
            try written?.write(nil, to: loudConsole)
            return self.fails && status == .redirection ? .success : status
        } catch {
            // What is written behind a failure does not hide it.
            if !plan.isOffline { try? self.cookies.save(cookies, console) }
            try? written?.write(CommandFailure(describing: error, isOfCurl: true), to: loudConsole)
            throw error
        }
    }

    private static func makeFolder(of path: String, _ console: Console) throws(CommandFailure) {
        guard let folder = FileLocation(path: console.absolute(path))?.directory else { return }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .usage("cannot make the folder “\(folder)” of curl's --create-dirs")
        }
    }

    private func applyBody(
        to request: inout Request,
        _ console: Console,
        isChunked: Bool
    ) throws(CommandFailure) {
        if !self.data.isEmpty {
            request.body = try self.data.body(console)
        } else if !self.parts.isEmpty {
            let form = try self.form()
            request.body = .multipart(form)
            Self.write(form, into: &request.headers)
        } else if let upload {
            request.body = try Self.body(uploading: upload, console, asItComes: isChunked)
        }
        try self.contentRange?.apply(to: &request)
        var coding: String?
        try BodyTransformation(compression: 0, isChunked: isChunked).apply(to: &request.body, &coding)
    }

    private static func body(
        uploading path: String,
        _ console: Console,
        asItComes: Bool
    ) throws(CommandFailure) -> RequestBody {
        guard path != "-" else {
            return try PipedBody(console, advice: nil).body(asItComes: asItComes) ?? .data(Data())
        }
        guard !PipeFile.isPipe(path) else { return .data(try LocalFile.bytes(path).data) }
        return try LocalFile.body(path)
    }

    /// A form cannot be read without its boundary.
    private static func write(_ form: MultipartFormData, into fields: inout HTTPFields) {
        for field in fields[fields: .contentType] where !field.value.asciiLowercased.contains("boundary=") {
            // The name stays as it is written.
            let value = "\(field.value); boundary=\(form.boundary)"
            fields[fields: .contentType] = [HTTPField(name: field.name, value: value)]
        }
    }

    private func form() throws(CommandFailure) -> MultipartFormData {
        var form = MultipartFormData()
        for part in self.parts { try part.append(to: &form) }
        do throws(SerializationError) {
            // A type that may not be sent shows when the form is about to be read.
            _ = try form.makeReader()
        } catch {
            throw .usage("the form cannot be sent: \(error.reason)")
        }
        return form
    }
}
