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
    /// - Throws: `CommandFailure`, `SessionError`, or `CancellationError` when the task is cancelled; no partial file is left then.
    func run() async throws -> CommandStatus {
        if self.plan.isDownload {
            let place = try DownloadPlace(self.plan.outputPath.map(self.absolute), in: self.console.directory)
            return try await self.exchange(printingTo: self.console.output, savingTo: place)
        }
        guard let path = self.plan.outputPath else { return try await self.exchange(printingTo: self.console.output) }
        let file = try FileSink(path: self.absolute(path))
        do {
            let status = try await self.exchange(printingTo: file)
            _ = try file.commit()
            return status
        } catch {
            file.discard()
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
            scope: !self.plan.followsRedirects ? .single : self.plan.showsRedirects ? .all : .last,
            printsResponses: place != nil && self.plan.parts.contains(.responseHead)
        )
        let isSilent = self.plan.parts.isDisjoint(with: .request) && place == nil && !self.plan.showsRedirects
        let configuration = self.plan.configuration(observers: isSilent ? [] : [echo])
        do {
            return try await Session.withSession(configuration: configuration) { session in
                if let place {
                    let download = DownloadRun(plan: self.plan, console: self.console, place: place)
                    return try await download.run(over: session, echo, display, printingTo: sink)
                }
                return try await self.exchange(over: session, echo, display, printingTo: sink)
            }
        } catch {
            // What could not be sent is shown as it would have been.
            if !echo.hasPrintedRequest, !(error is CancellationError), !self.plan.parts.isDisjoint(with: .request) {
                _ = try? await self.printOffline(to: sink, mayConsumeBody: false)
            }
            throw error
        }
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
        let monitor = TransferMonitor()
        let response = try await echo.whilePrinting {
            try await display.whileShown(monitor.upload) {
                try await session.send(self.plan.request, monitor: monitor)
            }
        }
        try await ResponsePrinter(plan: self.plan, sink: sink, console: self.console).print(response, monitor)
        guard self.plan.checksStatus else { return .success }
        let status = CommandStatus(responseStatus: response.status.code)
        if status != .success, !sink.isTerminal {
            self.console.report("warning", "HTTP \(response.status.code) \(response.status.reasonPhrase)")
        }
        return status
    }

    /// A relative path in the folder of the console.
    private func absolute(_ path: String) -> String {
        guard let directory = self.console.directory, !path.starts(withScalars: "/") else { return path }
        return directory + "/" + path
    }
}
