// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Prints server-sent events as they come, and makes a lost connection again if the method is GET: `--sse`.
struct EventStreamRun {
    let plan: RequestPlan
    let console: Console

    /// Prints events until the server ends the stream, a stream of GET with status 204, or the task is cancelled.
    ///
    /// In a pipe each event is its data and a line end; elsewhere its type and id stand before it. A first connection that fails is not made
    /// again: the host may be mistyped. What has arrived stays in a file, however the stream ends.
    ///
    /// - Throws: What the events throw; `CommandFailure`.
    func run(over session: Session, printingTo sink: any OutputSink) async throws {
        if !self.plan.parts.isSubset(of: .response) || !self.plan.parts.contains(.responseBody) {
            let options = "--verbose, --print, --headers and --meta"
            self.console.report("warning", "--sse prints events alone: leave out \(options)")
        }
        do {
            for try await event in try await session.events(for: self.plan.request).connected() {
                sink.keepPartially()
                if self.plan.style.isPlain {
                    try sink.write(event.data + "\n")
                } else {
                    try self.print(event, to: sink)
                }
            }
        } catch let error as SessionError {
            throw self.refusal(error) ?? error
        }
    }

    /// What is said of a response that holds no events; nil for another error.
    private func refusal(_ error: SessionError) -> CommandFailure? {
        guard let response = error.response else { return nil }
        let head = "HTTP \(response.status.text)"
        switch error.code {
        case .unacceptableStatus:
            let status = self.plan.checksStatus ? CommandStatus(responseStatus: response.status.code) : .transport
            return CommandFailure(status, "the server has answered with \(head), and not with events")
        case .unacceptableContentType:
            let type = TerminalText.escapedLine(response.headers[.contentType] ?? "no type")
            return CommandFailure(.transport, "the response, \(head), holds \(type), and not text/event-stream")
        default: return nil
        }
    }

    private func print(_ event: ServerSentEvent, to sink: any OutputSink) throws {
        let palette = self.plan.style.palette
        var head = palette.paint(TerminalText.escapedLine(event.type), .method)
        if !event.lastEventID.isEmpty {
            head += palette.paint(" #" + TerminalText.escapedLine(event.lastEventID), .faint)
        }
        try sink.write(head + "\n")
        var printer = BodyPrinter(sink: sink, style: self.plan.style, mediaType: nil)
        let outcome = try Array(event.data.utf8).withUnsafeBytes { try printer.write($0) }
        if outcome == .binary {
            // The data of an event is text, whatever characters it holds.
            let text = TerminalText.escapedLines(event.data)
            try sink.write(text.ends(withScalars: "\n") ? text : text + "\n")
        } else {
            try printer.finish()
        }
        try sink.write("\n")
    }
}
