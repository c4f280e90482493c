// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore

/// Carries out one request.
struct RequestRun: Sendable {
    let plan: RequestPlan
    let console: Console

    /// Sends the request and prints what was asked for.
    ///
    /// - Returns: What the process ends with.
    /// - Throws: `CommandFailure`, `SessionError`, or `CancellationError` when the task is cancelled; no partial file is left then.
    func run() async throws -> CommandStatus {
        guard let path = self.plan.outputPath, !self.plan.isDownload else {
            return try await self.exchange(printingTo: self.console.output)
        }
        let file = try FileSink(path: self.absolute(path), conflict: .replace)
        do {
            let status = try await self.exchange(printingTo: file)
            _ = try file.commit()
            return status
        } catch {
            file.discard()
            throw error
        }
    }

    private func exchange(printingTo sink: any OutputSink) async throws -> CommandStatus {
        let printer = RequestPrinter(
            sink: sink,
            style: self.plan.style,
            transport: self.plan.transport,
            parts: self.plan.parts,
            mayConsumeBody: self.plan.isOffline
        )
        // What carries a request is known when the connection is; only https has a choice.
        let echo = RequestEcho(
            printer: printer,
            isDeferred: !self.plan.isOffline && self.plan.request.url.scheme == "https"
        )
        let transport = CommandTransport(
            engine: self.plan.isOffline ? nil : NIOTransport(configuration: self.plan.transport),
            timeLimit: self.plan.timeLimit,
            decodesContent: !self.plan.isDownload && self.plan.parts.contains(.responseBody)
        ) { request in
            try echo.note(request)
        }
        var configuration = Session.Configuration()
        // Whether to ask for it is in the header fields already, where a person can change it.
        configuration.decodesContent = false
        // A redirect is shown as it is.
        configuration.redirects = .none
        let session = Session(configuration: configuration, transport: transport)
        do {
            let status = try await self.exchange(over: session, echo, printingTo: sink)
            await transport.shutdown()
            return status
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    private func exchange(
        over session: Session,
        _ echo: RequestEcho,
        printingTo sink: any OutputSink
    ) async throws -> CommandStatus {
        let monitor = TransferMonitor()
        let start = ContinuousClock.now
        let response = try await self.send(over: session, echo, monitor)
        if self.plan.isOffline { return .success }
        if self.plan.isDownload {
            if response.status.kind == .successful {
                try await self.save(response, monitor, since: start, printingTo: sink)
                return .success
            }
            try await ResponsePrinter(plan: self.plan, sink: sink, console: self.console).print(response, monitor)
            let reason = TerminalText.escapedLine(response.status.reasonPhrase)
            self.console.report("error", "the server answered \(response.status.code) \(reason), so nothing was saved")
            return CommandStatus(responseStatus: response.status.code)
        }
        try await ResponsePrinter(plan: self.plan, sink: sink, console: self.console).print(response, monitor)
        guard self.plan.checksStatus else { return .success }
        let status = CommandStatus(responseStatus: response.status.code)
        if status != .success, !sink.isTerminal {
            self.console.report("warning", "HTTP \(response.status.code) \(response.status.reasonPhrase)")
        }
        return status
    }

    /// Sends the request and shows how far its body has come, and then how long the response takes.
    private func send(
        over session: Session,
        _ echo: RequestEcho,
        _ monitor: TransferMonitor
    ) async throws -> StreamedResponse {
        let isMeasured = self.plan.request.hasMeasuredBody
        let title = isMeasured ? "Uploading" : "Waiting"
        let display = ProgressDisplay(title: title, titleWhenDone: "Waiting", console: self.console)
        do {
            let response = try await display.whileShown(isMeasured ? monitor.upload : nil) {
                try await session.send(self.plan.request, monitor: monitor)
            }
            try echo.print(response.metrics.httpVersion)
            return response
        } catch {
            try? echo.print(nil)
            throw error
        }
    }

    /// Writes the response's body into a file of its own name.
    private func save(
        _ response: StreamedResponse,
        _ monitor: TransferMonitor,
        since start: ContinuousClock.Instant,
        printingTo sink: any OutputSink
    ) async throws {
        if self.plan.parts.contains(.responseHead) {
            try sink.write(
                bytes: HeadPrinter(style: self.plan.style).response(response)
            )
        }
        let disposition = HTTPField.Name("Content-Disposition").flatMap { response.headers[$0] }
        let path = self.plan.outputPath ?? DownloadName.name(disposition: disposition, urlPath: response.url.path())
        let file = try FileSink(
            path: self.absolute(path),
            conflict: self.plan.outputPath == nil ? .number : .replace
        )
        do {
            let display = ProgressDisplay(title: "Downloading", console: self.console)
            let byteCount = try await display.whileShown(monitor.download) {
                var byteCount: Int64 = 0
                for try await buffer in response.body {
                    try buffer.withUnsafeReadableBytes { try file.write($0) }
                    byteCount += Int64(buffer.readableBytes)
                }
                try Task.checkCancellation()
                return byteCount
            }
            let saved = try file.commit()
            self.reportSaved(saved, byteCount, start.duration(to: .now))
        } catch {
            file.discard()
            throw error
        }
    }

    private func reportSaved(_ path: String, _ byteCount: Int64, _ duration: Duration) {
        let name = path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
        let shown = self.plan.outputPath ?? name
        let rate = ByteText.rate(Double(byteCount) / max(duration / .seconds(1), 0.001))
        let figures = "\(ByteText.size(byteCount)) in \(ByteText.span(duration)), \(rate)"
        try? self.console.errors.write("Saved “\(TerminalText.escapedLine(shown))” (\(figures))\n")
    }

    /// A relative path in the folder of the console.
    private func absolute(_ path: String) -> String {
        guard let directory = self.console.directory, !path.starts(withScalars: "/") else { return path }
        return directory + "/" + path
    }
}
