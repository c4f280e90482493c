// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// Saves the body of a response in a file.
struct DownloadRun: Sendable {
    let plan: RequestPlan
    let console: Console
    let place: DownloadPlace

    /// What the session tells about bytes that are left of the file.
    let remains = RemainsObserver()

    /// Sends the request, and saves the body if the response is a success; any other one is printed.
    ///
    /// - Parameters:
    ///   - session: What sends the request.
    ///   - echo: Prints the heads.
    ///   - display: Shows the progress.
    ///   - sink: Where a refused response is printed.
    /// - Returns: What the process ends with.
    /// - Throws: `CommandFailure`, `SessionError`, or `CancellationError`; no file is left then.
    func run(
        over session: Session,
        _ echo: ExchangeEcho,
        _ display: ProgressDisplay,
        printingTo sink: any OutputSink
    ) async throws -> CommandStatus {
        let monitor = TransferMonitor()
        let start = ContinuousClock.now
        do {
            let body = try await echo.whilePrinting {
                try await display.whileShown(both: monitor) {
                    if self.place.isWrittenInPlace { return try await self.write(over: session, monitor) }
                    return try await self.download(over: session, to: self.place.url, monitor)
                }
            }
            let saved = try self.place.settle(as: self.name(of: body.response))
            self.reportSaved(saved, body, start.duration(to: .now))
            return .success
        } catch let error as SessionError where error.code == .unacceptableStatus {
            guard let response = error.response else { throw error }
            if self.plan.isOfCurl, response.status == .notModified { return .success }
            if self.plan.isOfCurl, self.plan.followsRedirects,
                RequestPlan.redirectStatuses.contains(response.status.code)
            {
                throw self.plan.failureOfRedirect(response.status, response.headers)
                    ?? CommandFailure(.transport, "the redirect has no Location, so nothing was saved")
            }
            return try await self.refuse(response, monitor, printingTo: sink)
        } catch let error as SessionError where error.code == .digestMismatch {
            throw CommandFailure(.transport, "\(error.reason); nothing was saved")
        } catch let error as SessionError where Self.storageCodes.contains(error.code) {
            self.reportRemains(of: monitor.download.current, isCancelled: false)
            throw CommandFailure.usage(
                "cannot write “\(self.place.shownPath)”: \(error.reason); choose another place with --output"
            )
        } catch let error as SessionError {
            self.reportRemains(of: monitor.download.current, isCancelled: false)
            throw error
        } catch is CancellationError {
            self.reportRemains(of: monitor.download.current, isCancelled: true)
            throw CancellationError()
        }
    }

    /// Says what is kept of a body that broke off or was interrupted, and how to go on; or why nothing is.
    private func reportRemains(of received: TransferProgress, isCancelled: Bool) {
        guard received.completed > 0, !self.place.isWrittenInPlace else { return }
        let size = ByteText.size(received.completed)
        if let note = self.keptNote {
            self.console.report("note", note)
        } else if self.plan.download.resume == .always {
            let reason =
                self.remains.isResumable
                ? "" : ": the server names no version of the file (a strong ETag) that could be continued"
            self.console.report("note", "nothing was kept of the \(size) that came\(reason)")
        } else if !isCancelled, !self.plan.isOfCurl {
            // An error is one line; curl would have kept the file.
            return
        } else if !self.remains.isResumable {
            let advice =
                self.plan.isOfCurl
                ? "-o FILE would keep them"
                : "they could not have been kept: the server names no version of the file (a strong ETag)"
            self.console.report("note", "the \(size) that came are removed; \(advice)")
        } else {
            let options = self.plan.resumingOptions
            self.console.report(
                "note",
                "the \(size) that came are removed; with \(options) they are kept, to go on from there"
            )
        }
    }

    /// What is kept of the body, by this run or an earlier one, and how to go on; nil if nothing is.
    private var keptNote: String? {
        guard let remains = self.remains.last else { return nil }
        // Only its name is missing, and what has taken that need not go away.
        if remains.isComplete { return "the whole file is “\(remains.file.path(percentEncoded: false))”" }
        guard let data = remains.resumeData else { return nil }
        let total = data.totalByteCount.map { " of \(ByteText.size($0))" } ?? ""
        return "\(ByteText.size(remains.byteCount))\(total) are kept; the same command goes on from there"
    }

    static let storageCodes: Set<SessionError.Code> = [
        .destinationExists, .destinationUnavailable, .storageFull, .storageFailed,
    ]

    /// Saves the body in a file.
    ///
    /// - Parameters:
    ///   - session: What sends the request.
    ///   - destination: The file.
    ///   - monitor: Counts the bytes.
    /// - Returns: What was saved.
    /// - Throws: `SessionError` or `CancellationError`.
    func download(
        over session: Session,
        to destination: URL,
        _ monitor: TransferMonitor
    ) async throws -> SavedBody {
        let file = try await session.download(
            self.plan.request,
            to: destination,
            destinationOptions: self.place.kind == .replacing ? .overwrite : [],
            policy: self.plan.download,
            monitor: monitor
        )
        return SavedBody(
            response: file.response,
            byteCount: file.byteCount,
            earlierByteCount: file.resumedOffset,
            partCount: file.rangeCount,
            digests: file.verifiedDigests
        )
    }

    private func refuse(
        _ response: Response,
        _ monitor: TransferMonitor,
        printingTo sink: any OutputSink
    ) async throws -> CommandStatus {
        let streamed = StreamedResponse(replaying: response, to: self.plan.request)
        try await ResponsePrinter(plan: self.plan, sink: sink, console: self.console).print(streamed, monitor)
        let note = self.keptNote
        if let note { self.console.report("note", note) }
        let outcome = note == nil ? "nothing was saved" : "the rest is missing"
        self.console.report("error", "the server answered \(response.status.text), so \(outcome)")
        return CommandStatus(responseStatus: response.status.code)
    }

    private func name(of response: Response) -> String {
        let disposition = HTTPField.Name("Content-Disposition").flatMap { response.headers[$0] }
        let url = response.url ?? self.plan.request.url
        return DownloadName.name(disposition: disposition, urlPath: url.path())
    }

    private func reportSaved(_ path: String, _ body: SavedBody, _ duration: Duration) {
        guard self.console.quietness == 0 else { return }
        let shown = self.plan.outputPath ?? path
        let received = body.byteCount - body.earlierByteCount
        let rate = ByteText.rate(Double(received) / max(duration / .seconds(1), 0.001))
        var figures = "\(ByteText.size(body.byteCount)) in \(ByteText.span(duration)), \(rate)"
        if body.earlierByteCount > 0 { figures += ", \(ByteText.size(body.earlierByteCount)) of it earlier" }
        if body.partCount > 1 { figures += ", in \(body.partCount) parts" }
        figures += Set(body.digests.map(\.algorithm.rawValue)).sorted().map { ", \($0) verified" }.joined()
        try? self.console.errors.write("Saved “\(TerminalText.escapedLine(shown))” (\(figures))\n")
    }
}

/// What a download has saved.
struct SavedBody: Sendable {
    var response: Response
    var byteCount: Int64
    /// The bytes that were there from an earlier download.
    var earlierByteCount: Int64 = 0
    /// How many responses brought them.
    var partCount = 1
    var digests: [ContentDigest] = []
}
