// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import HTTPTypes
import NIOCore

/// Prints the parts of a reply that were asked for.
struct ReplyPrinter {
    let plan: RequestPlan
    let sink: any OutputSink
    let console: Console

    /// Prints a reply; a body that nobody wants is not read.
    ///
    /// - Throws: `CommandFailure`, or what reading the body throws.
    func print(_ reply: Reply, _ monitor: TransferMonitor) async throws {
        let parts = self.plan.parts
        if !parts.isDisjoint(with: .request), !parts.isDisjoint(with: .reply) { try self.endRequest() }
        if parts.contains(.replyHead) {
            try self.sink.write(
                bytes: HeadPrinter(style: self.plan.style).reply(status: reply.status, headers: reply.headers)
            )
        }
        if parts.contains(.replyBody) {
            try await self.printBody(reply, monitor)
        }
        if parts.contains(.timing) {
            let separator = parts.contains(.replyBody) ? "\n" : ""
            try self.sink.write(separator + TimingReport.text(reply.metrics, end: .now))
        }
    }

    /// An empty line between request and reply; the body of the request has not ended with one.
    private func endRequest() throws {
        if self.plan.parts.contains(.requestBody), self.plan.request.hasBody {
            try self.sink.write(self.plan.style.isEscaped ? "\n" : "\r\n\r\n")
        }
    }

    private func printBody(_ reply: Reply, _ monitor: TransferMonitor) async throws {
        let display = ProgressDisplay(title: "Downloading", console: self.console)
        // On one terminal, text and a bar would write over each other.
        let isShown = !self.sink.isTerminal
        let style = self.plan.style
        let sink = self.sink
        let print: @Sendable () async throws -> Void = {
            var printer = BodyPrinter(sink: sink, style: style, mediaType: reply.headers[.contentType])
            for try await buffer in reply.body {
                let outcome = try buffer.withUnsafeReadableBytes { try printer.write($0) }
                if outcome == .binary {
                    return try sink.write(BodyPrinter.binaryNote("save it with --download or --output FILE"))
                }
            }
            try printer.finish()
        }
        if isShown { try await display.whileShown(monitor.download, print) } else { try await print() }
    }
}

extension Request {
    /// Whether a body goes with it.
    var hasBody: Bool { if case .none = self.body { false } else { true } }
}
