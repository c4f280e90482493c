// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// A printer for a body as it arrives: unchanged for a pipe, formatted and escaped for a terminal.
///
/// Its memory usage does not depend on the length of the body.
struct BodyPrinter {
    /// The result of writing bytes.
    enum Outcome: Equatable {
        case printed
        /// The body is binary and the output is a terminal: the rest need not be read; these bytes are not printed.
        case binary
    }

    /// The number of bytes from the beginning of a body among which a NUL makes it binary: 1 KiB.
    private static let examinedLimit = 1024

    /// The most bytes of undeclared JSON that are held back before they are printed: 64 KiB.
    static let holdingLimit = 64 * 1024

    /// The reason why a part of the body is not formatted; nil if there is none.
    private(set) var note: String?

    private let sink: any OutputSink
    private let style: OutputStyle
    private var formatter: JSONFormatter?
    /// The bytes that are held back; nil once something has been printed.
    private var held: [UInt8]?
    /// The document whose keys are sorted, which has to be complete first; nil if keys are not sorted.
    private var unsorted: [UInt8]?
    /// The formatter for text that is not JSON; nil for text that is printed unchanged.
    private var text: TextFormatter?
    private let isDeclaredJSON: Bool
    private let kind: BodyContent.Kind
    /// The first bytes, until they determine the charset of the document; nil once it is known.
    private var start: [UInt8]?
    /// The decoder for JSON in another charset than UTF-8; nil if it is not needed.
    private var transcoder: TextStream?
    private var decoder: TextStream
    /// The line ends of an event stream in UTF-8, the only charset of the standard; nil for any other body.
    private var lineBreaks: EventLineBreaks?
    /// The number of bytes from the beginning that have been searched for a NUL.
    private var examinedByteCount = 0
    private var endsLine = true

    /// Creates a printer for one body.
    ///
    /// - Parameters:
    ///   - sink: The sink that is printed to.
    ///   - style: The formatting of the output.
    ///   - mediaType: The Content-Type of the message, if any.
    init(sink: any OutputSink, style: OutputStyle, mediaType: String?) {
        self.sink = sink
        self.style = style
        let content = BodyContent(mediaType: mediaType)
        self.decoder = TextStream(charset: content.charset)
        self.isDeclaredJSON = content.kind == .json
        self.kind = content.kind
        self.lineBreaks = content.kind == .events && content.charset == .utf8 ? EventLineBreaks() : nil
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
        // Declared JSON is printed at once, up to the first syntax error.
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
        let examined = bytes.prefix(Self.examinedLimit - self.examinedByteCount)
        if !examined.isEmpty {
            self.examinedByteCount += examined.count
            let isUTF8 = self.transcoder == nil && self.decoder.charset == .utf8
            if isUTF8, examined.contains(0) { return .binary }
        }
        if let text = self.transcoder?.text(of: bytes) {
            try self.writeUTF8(text)
        } else {
            try self.writeUTF8(bytes)
        }
        return .printed
    }

    /// Prints the first bytes as soon as the charset of the document is known.
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

    /// Formats or prints bytes that are UTF-8 or need no decoding.
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

    /// Prints the remaining bytes, and ends the last line before the prompt of a terminal.
    ///
    /// - Returns: Whether bytes that were held back until now are binary, and are not printed.
    /// - Throws: `CommandFailure` if the sink cannot be written to.
    @discardableResult
    mutating func finish() throws(CommandFailure) -> Outcome {
        guard self.style.isEscaped else { return .printed }
        var outcome = Outcome.printed
        if let start = self.start.take(), !start.isEmpty { outcome = try self.begin(start, isWhole: true) }
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
        return outcome
    }

    /// Buffers bytes until the end, or until they exceed the limit for sorting.
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

    /// Formats in small pieces, because indentation multiplies their length.
    private mutating func format(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        var rest = bytes
        while !rest.isEmpty, let formatter = self.formatter.take() {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(self.nextCount(of: rest)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            try self.format(piece, formatter)
        }
        try self.writeText(rest)
    }

    /// Formats one piece, and keeps the formatter if the piece was JSON.
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

    /// Returns the number of bytes to format before the next decision on whether held bytes are printed.
    ///
    /// The points of decision depend on the bytes alone, and not on how they arrive.
    private func nextCount(of bytes: UnsafeRawBufferPointer) -> Int {
        let largest = 16 * 1024
        guard let held, !self.isDeclaredJSON else { return largest }
        let room = min(largest, max(1, Self.holdingLimit - held.count))
        return bytes.prefix(room).firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? room
    }

    /// Returns whether the held bytes are printed: they are certainly JSON, or they exceed the limit.
    private func mayPrint(_ formatter: JSONFormatter, after last: UInt8?) -> Bool {
        guard let held, !self.isDeclaredJSON else { return true }
        return held.count >= Self.holdingLimit || (formatter.isBetweenDocuments && last == UInt8(ascii: "\n"))
    }

    /// Checks that text that is not declared as JSON begins with a bracket; other text is not treated as JSON.
    private static func checkStart(_ held: [UInt8]?) throws(JSONFormatter.Fault) {
        let first = held?.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if let first, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") { throw .syntax }
    }

    /// Prints the rest unchanged, or everything if nothing has been printed.
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
        guard let replaced = self.lineBreaks?.replaced(bytes) else {
            return try self.writeText(self.decoder.text(of: bytes))
        }
        let text = replaced.withUnsafeBytes { self.decoder.text(of: $0) }
        try self.writeText(text)
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
