// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport

/// Carries out one request.
struct RequestRun: Sendable {
    let plan: RequestPlan
    let console: Console

    /// Sends the request and prints what was asked for.
    ///
    /// - Returns: What the process ends with.
    /// - Throws: `CommandFailure`, `SessionError`, or `CancellationError` when the task is cancelled; no partial file is
    ///   left then, unless it holds events or is that of a command of curl.
    func run() async throws -> CommandStatus {
        guard self.plan.sends, let retries = self.plan.transferRetries else { return try await self.runOnce() }
        return try await retries.run(self)
    }

    /// Sends the request, with the attempts of its policy, and prints what was asked for.
    func runOnce() async throws -> CommandStatus {
        if case .export(let form) = self.plan.action {
            let export = RequestExport(plan: self.plan)
            try self.console.output.write(export.text(form))
            let leftOut = export.leftOut(form)
            if !leftOut.isEmpty {
                let options = leftOut.joined(separator: ", ")
                self.console.report("warning", "left out of the \(form.rawValue) form: \(options)")
            }
            return .success
        }
        if self.plan.isDownload {
            let place = try DownloadPlace(self.plan.outputPath.map(self.console.absolute), in: self.console.directory)
            guard self.plan.download.resume == .never || !place.isWrittenInPlace else {
                throw CommandFailure.usage(
                    "“\(place.shownPath)” is written in place, where nothing can be kept for the next command: leave out --continue, or choose another file"
                )
            }
            return try await self.exchange(printingTo: self.console.output, savingTo: place)
        }
        guard let path = self.plan.outputPath else { return try await self.exchange(printingTo: self.console.output) }
        let file = try FileSink(path: self.console.absolute(path))
        do {
            let status = try await self.exchange(printingTo: file)
            _ = try file.commit()
            return status
        } catch {
            try file.end()
            throw error
        }
    }

    private func exchange(
        printingTo sink: any OutputSink,
        savingTo place: DownloadPlace? = nil
    ) async throws -> CommandStatus {
        if self.plan.isOffline { return try await self.printOffline(to: sink, mayConsumeBody: true) }
        let display = ProgressDisplay(title: "Uploading", titleWhenDone: "Waiting", console: self.console)
        let echo = ExchangeEcho(
            printer: self.plan.requestPrinter(for: sink),
            display: display,
            scope: self.scope,
            isDownload: place != nil
        )
        let showsMore = self.plan.showsRedirects || self.plan.showsAllHeads
        let isSilent = self.plan.parts.isDisjoint(with: .request) && place == nil && !showsMore
        var observers: [any SessionObserver] = isSilent || self.plan.action != .send ? [] : [echo]
        if self.plan.retries.maximumAttempts > 1 {
            let earlierCount = self.plan.transferRetries?.earlierCount ?? 0
            observers.append(RetryNotes(console: self.console, earlierCount: earlierCount))
        }
        if self.plan.followsRedirects {
            observers.append(RedirectNotes(request: self.plan.request, console: self.console))
        }
        if self.plan.isDebugging { observers.append(EventReport(console: self.console)) }
        let download = place.map { DownloadRun(plan: self.plan, console: self.console, place: $0) }
        if let download { observers.append(download.remains) }
        let report = self.plan.isExplained ? ExplainReport(plan: self.plan) : nil
        if let report { observers.append(report) }
        defer { if let report { try? self.console.errors.write(report.text) } }
        let configuration = self.plan.configuration(observers: observers)
        do {
            let status = try await self.withSession(configuration) { session in
                if let download { return try await download.run(over: session, echo, display, printingTo: sink) }
                return try await self.exchange(over: session, echo, display, printingTo: sink)
            }
            if let session = self.plan.session, session.isNew || !self.plan.isSessionReadOnly { try session.save() }
            return status
        } catch {
            // What could not be sent is shown as it would have been.
            if self.plan.action == .send, !echo.hasPrintedRequest, !(error is CancellationError),
                !self.plan.parts.isDisjoint(with: .request)
            {
                _ = try? await self.printOffline(to: sink, mayConsumeBody: false)
            }
            throw await self.explained(error)
        }
    }

    /// The exchanges that are printed.
    private var scope: ExchangeEcho.Scope {
        guard self.plan.mayRepeat else { return .single }
        return self.plan.showsAllHeads ? .everyHead : self.plan.showsRedirects ? .all : .last
    }

    /// Runs a piece of code with a session, and records its exchanges where that is asked for.
    private func withSession<Result>(
        _ configuration: Session.Configuration,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        guard let path = self.plan.archivePath else {
            var configuration = configuration
            if self.plan.connections != nil { configuration.engine = nil }
            let connections = self.plan.connections
            return try await Session.withSession(configuration: configuration, transport: connections, body)
        }
        let recording = try ExchangeRecording(path: self.console.absolute(path), console: self.console)
        return try await recording.run(configuration, self.plan.transport, body)
    }

    /// An error about a certificate with what it says, and how it can be trusted.
    private func explained(_ error: any Error) async -> any Error {
        guard let error = error as? SessionError, error.code == .untrustedCertificate,
            self.plan.transport.tls.trust == nil
        else { return error }
        var failure = CommandFailure(describing: error, isOfCurl: self.plan.isOfCurl)
        failure.details = await CertificateProbe(plan: self.plan).lines()
        return failure
    }

    /// Prints the request without sending it.
    private func printOffline(to sink: any OutputSink, mayConsumeBody: Bool) async throws -> CommandStatus {
        var printer = self.plan.requestPrinter(for: sink)
        printer.mayConsumeBody = mayConsumeBody
        var configuration = self.plan.configuration(observers: [])
        configuration.engine = nil
        let transport = OfflineTransport(printer: printer, configuration: self.plan.transport, plan: self.plan)
        _ = try await Session(configuration: configuration, transport: transport).send(self.plan.request)
        return .success
    }

    private func exchange(
        over session: Session,
        _ echo: ExchangeEcho,
        _ display: ProgressDisplay,
        printingTo sink: any OutputSink
    ) async throws -> CommandStatus {
        switch self.plan.action {
        case .readEvents:
            try await EventStreamRun(plan: self.plan, console: self.console).run(over: session, printingTo: sink)
            return .success
        case .bench(let count, let parallelCount):
            let run = BenchRun(plan: self.plan, console: self.console, count: count, parallelCount: parallelCount)
            return try await run.run(over: session, printingTo: sink)
        case .upload(let dialect):
            let run = ResumableUploadRun(plan: self.plan, console: self.console, dialect: dialect)
            return try await run.run(over: session, display, printingTo: sink)
        case .send, .export: break
        }
        let monitor = TransferMonitor()
        let response = try await echo.whilePrinting {
            try await display.whileShown(monitor.upload) {
                try await session.send(self.plan.request, monitor: monitor)
            }
        }
        let printer = ResponsePrinter(plan: self.plan, sink: sink, console: self.console)
        let unfollowed = self.plan.failureOfRedirect(response.status, response.headers)
        if let unfollowed, self.plan.isOfCurl {
            // The head says why.
            if self.plan.showsAllHeads { try printer.printHead(response) }
            throw unfollowed
        }
        try await printer.print(response, monitor)
        if let unfollowed { self.console.report("warning", unfollowed.message) }
        // RFC 9110 section 15.4.5: the client has the content already, perhaps in this very file.
        if response.status == .notModified { sink.keepEarlierContent() }
        guard self.plan.checksStatus else { return .success }
        let status = CommandStatus(responseStatus: response.status.code)
        let line = "HTTP \(response.status.text)"
        // Thrown, so that a file of --output is left as it was.
        if self.plan.omitsErrorBody, response.status.code >= 400 { throw CommandFailure(status, line) }
        let isFailure = status != .success && !(self.plan.isOfCurl && status == .redirection)
        if isFailure, !sink.isTerminal { self.console.report("warning", line) }
        return status
    }
}
