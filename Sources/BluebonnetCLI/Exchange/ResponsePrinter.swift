// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore

/// Prints the parts of a response that were asked for.
struct ResponsePrinter {
    let plan: RequestPlan
    let sink: any OutputSink
    let console: Console

    /// Prints a response; a body that is not printed is not read.
    ///
    /// - Throws: `CommandFailure`, or what reading the body throws.
    func print(_ response: StreamedResponse, _ monitor: TransferMonitor) async throws {
        var parts = self.plan.parts
        if self.plan.omitsErrorBody, response.status.code >= 400 { parts.remove(.responseBody) }
        if !parts.isDisjoint(with: .response) {
            try self.plan.requestPrinter(for: self.sink).printSeparator(after: response.request)
        }
        if parts.contains(.responseHead) { try self.printHead(response) }
        if parts.contains(.responseBody) {
            try await self.printBody(response, monitor)
        }
        if parts.contains(.timing) {
            let separator = parts.contains(.responseBody) ? "\n" : ""
            try self.sink.write(separator + TimingReport.text(response.metrics, end: .now))
        } else if parts.isSuperset(of: [.request, .response]), self.sink.isTerminal {
            let line = TimingReport.line(response.metrics, end: .now)
            try self.sink.write(self.plan.style.palette.paint(line, .faint) + "\n")
        }
    }

    /// Prints the status and the fields of a response.
    ///
    /// - Throws: `CommandFailure` if it cannot be written.
    func printHead(_ response: borrowing StreamedResponse) throws(CommandFailure) {
        let printer = HeadPrinter(style: self.plan.style)
        try self.sink.write(bytes: printer.response(response.status, response.headers, response.metrics))
    }

    private func printBody(_ response: StreamedResponse, _ monitor: TransferMonitor) async throws {
        let display = ProgressDisplay(title: "Downloading", console: self.console)
        // On one terminal, text and a bar would write over each other.
        let isShown = !self.sink.isTerminal
        let style = self.plan.style
        let sink = self.sink
        let console = self.console
        let mediaType = self.plan.responseContent.mediaType(instead: response.headers[.contentType])
        let undecoded = Self.undecodedCodings(response.headers)
        if let mediaType, undecoded == nil, sink.isTerminal, style.isFormatted || style.isColoured,
            PicturePrinter.isPicture(mediaType)
        {
            let printer = PicturePrinter(sink: sink, console: self.console, choice: self.plan.pictures)
            return try await printer.print(response.body, mediaType)
        }
        // What has come of a stream of events, which seldom has an end, is of use, and curl keeps that of any body.
        let isKeptPartially = self.plan.isOfCurl || BodyContent(mediaType: mediaType).kind == .events
        let print: @Sendable () async throws -> Void = {
            var printer = BodyPrinter(sink: sink, style: style, mediaType: mediaType)
            var warning = undecoded.map { "the body is encoded with \($0), which cannot be decoded" }
            do {
                for try await buffer in response.body {
                    if let text = warning.take() {
                        guard !style.isEscaped else {
                            return console.report("warning", "\(text): save it with --download or --output FILE")
                        }
                        console.report("warning", "\(text): its bytes are written as they came")
                    }
                    if isKeptPartially { sink.keepPartially() }
                    let outcome = try buffer.withUnsafeReadableBytes { try printer.write($0) }
                    if outcome == .binary {
                        // The note stands on a line of its own behind text that came before.
                        try printer.finish()
                        return try sink.write(BodyPrinter.binaryNote(Self.binaryHint))
                    }
                }
            } catch {
                // What has come of a body that breaks off is printed, and its line ended, before the error is.
                _ = try? printer.finish()
                throw error
            }
            if try printer.finish() == .binary { try sink.write(BodyPrinter.binaryNote(Self.binaryHint)) }
            if let note = printer.note { console.report("note", note) }
        }
        // Formatting takes long, and a terminal or a pipe may: the event loop would not answer the server meanwhile.
        let isFast = sink.isImmediate && !style.isFormatted && !style.isColoured && !style.isEscaped
        let executor = isFast ? response.body.executor : nil
        let transfer: @Sendable () async throws -> Void = {
            try await withTaskExecutorPreference(executor) { try await print() }
        }
        if isShown { try await display.whileShown(monitor.download, transfer) } else { try await transfer() }
    }

    private static let binaryHint = "save it with --download or --output FILE"

    /// The codings of a body that is not decoded; nil if it has none, and where the engine has decoded them: it removes the field.
    private static func undecodedCodings(_ headers: HTTPFields) -> String? {
        let names = (headers[.contentEncoding] ?? "").unicodeScalars.split(separator: ",")
            .map { Substring($0).trimmingBlanks }
            .filter { !$0.isEmpty && !$0.isASCIIWord("identity") }
        return names.isEmpty ? nil : names.map { "“\($0)”" }.joined(separator: ", ")
    }
}
