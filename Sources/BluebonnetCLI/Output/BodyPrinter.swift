// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Prints a body as it arrives: unchanged into a pipe, formatted and harmless on a terminal.
///
/// Its memory does not depend on the length of the body.
struct BodyPrinter {
    /// What became of a piece.
    enum Outcome: Equatable {
        case printed
        /// The body is not text and a person would see it: nothing more needs to be read.
        case binary
    }

    /// What may be held back before a text that may be JSON, but is not declared as such, is printed: 64 KiB.
    static let holdingLimit = 64 * 1024

    /// Why a part of the body is not formatted, for a note to the person; nil if there is nothing to say.
    private(set) var note: String?

    private let sink: any OutputSink
    private let style: OutputStyle
    private var formatter: JSONFormatter?
    /// The bytes of which nothing has been printed yet; nil once something has.
    private var held: [UInt8]?
    /// The bytes of which the keys are to be sorted, which needs the whole document; nil where they are not.
    private var unsorted: [UInt8]?
    /// Formats text that is not JSON; nil for text that is printed as it is.
    private var text: TextFormatter?
    private let isDeclaredJSON: Bool
    private let kind: BodyContent.Kind
    /// The first bytes, until they are enough to know the charset that the document names; nil once it is known.
    private var start: [UInt8]?
    /// Makes UTF-8 of what may be JSON in another charset, before it is formatted; nil where that is not needed.
    private var transcoder: TextStream?
    private var decoder: TextStream
    private var hasBegun = false
    private var endsLine = true

    /// Creates a printer for one body.
    ///
    /// - Parameters:
    ///   - sink: Where it goes.
    ///   - style: Whether it is formatted, coloured and made harmless.
    ///   - mediaType: The Content-Type of the message, if it has one.
    init(sink: any OutputSink, style: OutputStyle, mediaType: String?) {
        self.sink = sink
        self.style = style
        let content = BodyContent(mediaType: mediaType)
        self.decoder = TextStream(charset: content.charset)
        self.isDeclaredJSON = content.kind == .json
        self.kind = content.kind
        self.start = content.mayNameCharset ? [] : nil
        guard style.isFormatted || style.isColoured else { return }
        self.text = TextFormatter(content.kind, style)
        guard content.kind == .json || content.kind == .text else { return }
        if content.charset != .utf8 {
            self.transcoder = self.decoder
            self.decoder = TextStream()
        }
        let isIndented = style.isFormatted && style.details.formatsJSON
        if isIndented, style.details.sortsKeys { self.unsorted = [] }
        self.formatter = JSONFormatter(
            palette: style.palette,
            isIndented: isIndented,
            indentation: style.details.indentation
        )
        // What is declared as JSON is printed at once, as far as it is JSON.
        self.held = self.isDeclaredJSON ? nil : []
    }

    /// Prints the next bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) -> Outcome {
        if bytes.isEmpty { return .printed }
        guard self.style.isEscaped else {
            try self.sink.write(bytes)
            return .printed
        }
        if var start = self.start.take() {
            start.append(contentsOf: bytes)
            return try self.begin(start, isWhole: false)
        }
        if !self.hasBegun {
            self.hasBegun = true
            let isUTF8 = self.transcoder == nil && self.decoder.charset == .utf8
            if isUTF8, bytes.prefix(1024).contains(0) { return .binary }
        }
        if let text = self.transcoder?.text(of: bytes) {
            try self.writeUTF8(text)
        } else {
            try self.writeUTF8(bytes)
        }
        return .printed
    }

    /// Prints the first bytes as soon as the charset that the document names is known.
    private mutating func begin(_ start: [UInt8], isWhole: Bool) throws(CommandFailure) -> Outcome {
        guard let charset = DeclaredCharset.charset(of: start, self.kind, isWhole: isWhole) else {
            self.start = start
            return .printed
        }
        self.decoder = TextStream(charset: charset)
        return try start.withUnsafeBufferPointer { (bytes) throws(CommandFailure) in
            try self.write(UnsafeRawBufferPointer(bytes))
        }
    }

    private mutating func writeUTF8(_ text: String) throws(CommandFailure) {
        try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(CommandFailure) in
            try self.writeUTF8(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Formats or prints bytes that need not be made UTF-8 before they are formatted.
    private mutating func writeUTF8(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        if bytes.isEmpty { return }
        if self.unsorted != nil {
            try self.hold(bytes)
        } else if self.formatter == nil {
            try self.writeText(bytes)
        } else {
            try self.format(bytes)
        }
    }

    /// Prints what is left, and ends the last line for the prompt that follows on a terminal.
    mutating func finish() throws(CommandFailure) {
        guard self.style.isEscaped else { return }
        if let start = self.start.take(), !start.isEmpty { _ = try self.begin(start, isWhole: true) }
        if let text = self.transcoder?.finish() { try self.writeUTF8(text) }
        if let unsorted = self.unsorted.take() { try self.write(JSONSorter.sorted(unsorted) ?? unsorted) }
        if var formatter = self.formatter {
            formatter.finish()
            if let held, !self.isDeclaredJSON, !formatter.isBetweenDocuments {
                try held.withUnsafeBufferPointer { (bytes) throws(CommandFailure) in
                    try self.writeText(UnsafeRawBufferPointer(bytes))
                }
            } else {
                try self.writeFormatted(&formatter)
            }
            self.formatter = nil
        }
        try self.writeText(self.decoder.finish())
        if var text = self.text.take() {
            text.finish()
            try self.writeOutput(of: &text)
        }
        if !self.endsLine { try self.sink.write("\n") }
    }

    /// Keeps bytes until the end, or until they are too many to be sorted.
    private mutating func hold(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        guard var unsorted = self.unsorted.take() else { return }
        unsorted.append(contentsOf: bytes)
        if unsorted.count <= JSONSorter.largestByteCount {
            self.unsorted = unsorted
        } else {
            self.note = "the body is larger than 64 MiB and not sorted"
            try self.write(unsorted)
        }
    }

    private mutating func write(_ bytes: [UInt8]) throws(CommandFailure) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(CommandFailure) in
            try self.format(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Formats in small pieces, because indentation makes them many times as long.
    private mutating func format(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        var rest = bytes
        while !rest.isEmpty, let formatter = self.formatter.take() {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(self.nextCount(of: rest)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            try self.format(piece, formatter)
        }
        try self.writeText(rest)
    }

    /// Formats one piece, and keeps the formatter if it was JSON.
    private mutating func format(
        _ piece: UnsafeRawBufferPointer,
        _ formatter: consuming JSONFormatter
    ) throws(CommandFailure) {
        self.held?.append(contentsOf: piece)
        var position = 0
        do throws(JSONFormatter.Fault) {
            if !self.isDeclaredJSON { try Self.checkStart(self.held) }
            try formatter.write(piece, position: &position)
        } catch {
            return try self.abandon(&formatter, error, UnsafeRawBufferPointer(rebasing: piece[position...]))
        }
        if self.mayPrint(formatter, after: piece.last) { try self.writeFormatted(&formatter) }
        self.formatter = formatter
    }

    /// How many bytes are formatted before it is decided whether what is held back can be printed.
    ///
    /// The places of the decision depend on the bytes alone, and not on how they arrive.
    private func nextCount(of bytes: UnsafeRawBufferPointer) -> Int {
        let largest = 16 * 1024
        guard let held, !self.isDeclaredJSON else { return largest }
        let room = min(largest, max(1, Self.holdingLimit - held.count))
        return bytes.prefix(room).firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? room
    }

    /// Whether what is held back can be printed: it is surely JSON, or there is too much of it.
    private func mayPrint(_ formatter: JSONFormatter, after last: UInt8?) -> Bool {
        guard let held, !self.isDeclaredJSON else { return true }
        return held.count >= Self.holdingLimit || (formatter.isBetweenDocuments && last == UInt8(ascii: "\n"))
    }

    /// A text that is not declared as JSON is taken for it only if it begins with a bracket.
    private static func checkStart(_ held: [UInt8]?) throws(JSONFormatter.Fault) {
        let first = held?.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if let first, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") { throw .syntax }
    }

    /// Prints the rest as it is; everything, if nothing has been printed.
    private mutating func abandon(
        _ formatter: inout JSONFormatter,
        _ fault: JSONFormatter.Fault,
        _ rest: UnsafeRawBufferPointer
    ) throws(CommandFailure) {
        if fault == .depth {
            self.note =
                "the body is nested more than \(JSONFormatter.largestDepth) levels deep and not formatted from there on"
        }
        if let held {
            self.held = nil
            try held.withUnsafeBufferPointer { (bytes) throws(CommandFailure) in
                try self.writeText(UnsafeRawBufferPointer(bytes))
            }
        } else {
            formatter.finish()
            try self.writeFormatted(&formatter)
            try self.writeText(rest)
        }
    }

    private mutating func writeFormatted(_ formatter: inout JSONFormatter) throws(CommandFailure) {
        self.held = nil
        guard let last = formatter.output.last else { return }
        self.endsLine = last == 0x0A
        try self.sink.write(bytes: formatter.output)
        formatter.output.removeAll(keepingCapacity: true)
    }

    private mutating func writeText(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        try self.writeText(self.decoder.text(of: bytes))
    }

    private mutating func writeText(_ text: String) throws(CommandFailure) {
        guard let last = text.utf8.last else { return }
        let escaped = TerminalText.escapedLines(text)
        if self.text != nil {
            self.text?.write(escaped.utf8)
            if var text = self.text.take() {
                try self.writeOutput(of: &text)
                self.text = text
            }
            return
        }
        self.endsLine = last == 0x0A
        try self.sink.write(escaped)
    }

    private mutating func writeOutput(of text: inout TextFormatter) throws(CommandFailure) {
        let output = text.takeOutput()
        guard let last = output.last else { return }
        self.endsLine = last == 0x0A
        try self.sink.write(bytes: output)
    }
}
