// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Uploads a file so that the same command goes on where it stopped: `--resumable`.
struct ResumableUploadRun: Sendable {
    /// The protocol that the server speaks.
    enum Dialect: String, OptionWord {
        /// tus 1.0.0.
        case tus
        /// The IETF draft "Resumable Uploads for HTTP".
        case draft

        fileprivate var upload: ResumableUpload {
            var upload: ResumableUpload = self == .tus ? .tus() : .draft()
            // The same command has to go on, and there is none that discards an upload.
            upload.whenChanged = .startAgain
            return upload
        }
    }

    let plan: RequestPlan
    let console: Console
    let dialect: Dialect

    /// Sends what the server has not got yet, and prints its last response.
    ///
    /// - Parameters:
    ///   - session: What sends the requests.
    ///   - display: Shows the progress.
    ///   - sink: Where the response is printed.
    /// - Returns: What the process ends with.
    /// - Throws: `CommandFailure`, `SessionError`, or `CancellationError`; a note has said then how to go on.
    func run(
        over session: Session,
        _ display: ProgressDisplay,
        printingTo sink: any OutputSink
    ) async throws -> CommandStatus {
        guard case .file(let file) = self.plan.request.body else { return .usage }
        try self.checkFolder(of: file)
        let monitor = TransferMonitor()
        let start = ContinuousClock.now
        var request = self.plan.request
        request.body = .none
        do {
            let uploaded = try await display.whileShown(monitor.upload) { [request] in
                try await session.upload(file, with: request, resuming: self.dialect.upload, monitor: monitor)
            }
            if let response = uploaded.response { try await self.print(response, to: sink) }
            self.reportUploaded(file, uploaded, start.duration(to: .now))
            return .success
        } catch is CancellationError {
            self.reportRest(monitor.upload.current.completed, of: monitor.upload.current.total)
            throw CancellationError()
        } catch let error as SessionError {
            if error.code == .sourceChanged {
                self.console.report("note", "the same command sends the file again, from its first byte")
            } else if let remains = error.uploadRemains {
                self.reportRest(remains.acknowledgedByteCount, of: remains.byteCount)
            }
            guard error.code == .unacceptableStatus, let response = error.response else { throw error }
            if let remains = error.uploadRemains, remains.url == nil, remains.acknowledgedByteCount == 0 {
                // An upload that the server has not begun leaves nothing to go on with.
                _ = try? await session.discardUpload(of: file, with: request, resuming: self.dialect.upload)
            }
            return try await self.refuse(response, printingTo: sink)
        }
    }

    /// The journal of the upload is written beside the file.
    private func checkFolder(of file: URL) throws(CommandFailure) {
        let path = file.path(percentEncoded: false)
        guard let location = FileLocation(path: path), access(location.directory, W_OK | X_OK) != 0 else { return }
        throw .usage(
            "what is needed to go on is kept beside the file, and “\(location.directory)” cannot be written: \(SystemError.text(of: errno)); upload a copy of “\(path)” in another folder"
        )
    }

    private func print(_ response: Response, to sink: any OutputSink) async throws {
        let streamed = StreamedResponse(replaying: response, to: self.plan.request)
        try await ResponsePrinter(plan: self.plan, sink: sink, console: self.console).print(streamed, TransferMonitor())
    }

    private func refuse(_ response: Response, printingTo sink: any OutputSink) async throws -> CommandStatus {
        try await self.print(response, to: sink)
        self.console.report("error", "the server answered \(response.status.text), and the upload ended there")
        let status = CommandStatus(responseStatus: response.status.code)
        return status == .success ? .transport : status
    }

    private func reportRest(_ completed: Int64, of total: Int64?) {
        guard completed > 0, let total else { return }
        self.console.report(
            "note",
            "the server has \(ByteText.size(completed)) of \(ByteText.size(total)); the same command goes on from there"
        )
    }

    private func reportUploaded(_ file: URL, _ uploaded: UploadedFile, _ duration: Duration) {
        guard self.console.quietness == 0 else { return }
        let name = TerminalText.escapedLine(file.lastPathComponent)
        let sent = uploaded.byteCount - uploaded.resumedOffset
        var figures = "\(ByteText.size(uploaded.byteCount)) in \(ByteText.span(duration))"
        figures += ", " + ByteText.rate(Double(sent) / max(duration / .seconds(1), 0.001))
        if uploaded.resumedOffset > 0 { figures += ", \(ByteText.size(uploaded.resumedOffset)) of it earlier" }
        switch uploaded.restart {
        case .changed: figures += ", again from its first byte, because it had changed"
        case .lost: figures += ", again from its first byte, because the server had lost it"
        case nil: break
        }
        let place = uploaded.url.map { " to \(TerminalText.escapedLine(TargetURL.redacted($0.absoluteString)))" } ?? ""
        try? self.console.errors.write("Uploaded “\(name)”\(place) (\(figures))\n")
    }
}
