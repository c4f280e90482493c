// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A formatter for text other than JSON.
enum TextFormatter {
    case markup(MarkupFormatter)
    case events(EventStreamFormatter)

    /// Creates the formatter for a kind of body; nil for one that is printed unchanged.
    init?(_ kind: BodyContent.Kind, _ style: OutputStyle) {
        switch kind {
        case .xml:
            let isIndented = style.isFormatted && style.details.formatsXML
            let indentation = isIndented ? style.details.markupIndentation : nil
            self = .markup(MarkupFormatter(palette: style.palette, indentation: indentation))
        case .html: self = .markup(MarkupFormatter(palette: style.palette, indentation: nil))
        case .events: self = .events(EventStreamFormatter(palette: style.palette))
        case .json, .text, .other: return nil
        }
    }

    /// Formats the next bytes, which are UTF-8 without control characters.
    mutating func write(_ bytes: some Sequence<UInt8>) {
        switch self {
        case .markup(var formatter):
            formatter.write(bytes)
            self = .markup(formatter)
        case .events(var formatter):
            formatter.write(bytes)
            self = .events(formatter)
        }
    }

    /// Ends the text.
    mutating func finish() {
        switch self {
        case .markup(var formatter):
            formatter.finish()
            self = .markup(formatter)
        case .events(var formatter):
            formatter.finish()
            self = .events(formatter)
        }
    }

    /// Removes and returns the bytes that have been formatted since the last call.
    mutating func takeOutput() -> [UInt8] {
        switch self {
        case .markup(var formatter):
            defer { self = .markup(formatter) }
            defer { formatter.output = [] }
            return formatter.output
        case .events(var formatter):
            defer { self = .events(formatter) }
            defer { formatter.output = [] }
            return formatter.output
        }
    }
}
