// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Prints a body as it arrives: as it came into a pipe, made up and harmless on a terminal.
///
/// JSON is held back until it is complete, as long as it is small enough to be looked at; everything else passes through.
struct BodyPrinter {
    /// What became of a piece.
    enum Outcome: Equatable {
        case printed
        /// The body is not text and a person would see it: nothing more needs to be read.
        case binary
    }

    /// JSON that is longer than this is printed as it comes: 8 MiB.
    static let formattingLimit = 8 * 1024 * 1024

    private let sink: any OutputSink
    private let style: OutputStyle
    private var held: [UInt8]?
    private var decoder = TextStream()
    private var hasBegun = false
    private var endsLine = true

    /// Creates a printer for one body.
    ///
    /// - Parameters:
    ///   - sink: Where it goes.
    ///   - style: How it is made up.
    ///   - mediaType: The Content-Type of the message, if it has one.
    init(sink: any OutputSink, style: OutputStyle, mediaType: String?) {
        self.sink = sink
        self.style = style
        let makesUp = style.isFormatted || style.isColoured
        self.held = makesUp && Self.mayBeJSON(mediaType) ? [] : nil
    }

    /// Prints the next bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) -> Outcome {
        if bytes.isEmpty { return .printed }
        guard self.style.isEscaped else {
            try self.sink.write(bytes)
            return .printed
        }
        if !self.hasBegun {
            self.hasBegun = true
            if bytes.prefix(1024).contains(0) { return .binary }
        }
        guard self.held != nil else {
            try self.writeText(self.decoder.text(of: bytes))
            return .printed
        }
        self.held?.append(contentsOf: bytes)
        if let held, held.count > Self.formattingLimit {
            self.held = nil
            try self.writeText(held.withUnsafeBytes { self.decoder.text(of: $0) })
        }
        return .printed
    }

    /// Prints what is left, and ends the last line for the prompt that follows on a terminal.
    mutating func finish() throws(CommandFailure) {
        guard self.style.isEscaped else { return }
        if let held {
            self.held = nil
            let printer = JSONPrinter(palette: self.style.palette, isIndented: self.style.isFormatted)
            if let text = printer.text(of: held) {
                try self.writeText(text, isSafe: true)
            } else {
                try self.writeText(held.withUnsafeBytes { self.decoder.text(of: $0) })
            }
        }
        try self.writeText(self.decoder.finish())
        if !self.endsLine { try self.sink.write("\n") }
    }

    private mutating func writeText(_ text: String, isSafe: Bool = false) throws(CommandFailure) {
        guard let last = text.unicodeScalars.last else { return }
        self.endsLine = last == "\n"
        try self.sink.write(isSafe ? text : TerminalText.escapedLines(text))
    }

    /// Whether a body of this type is worth holding back: JSON, or a text that a server forgot to name.
    private static func mayBeJSON(_ mediaType: String?) -> Bool {
        guard let mediaType else { return true }
        let essence = mediaType.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        return essence.hasSuffix("/json") || essence.hasSuffix("+json") || essence == "text/plain"
            || essence == "application/x-www-form-urlencoded+json" || essence == "text/javascript"
    }
}
