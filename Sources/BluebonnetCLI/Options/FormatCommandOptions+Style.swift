// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

extension FormatCommandOptions {
    /// How messages are formatted on a console.
    ///
    /// - Throws: `CommandFailure` for a detail that is not known.
    func style(for console: Console) throws(CommandFailure) -> OutputStyle {
        var style = Prettiness.style(self.pretty, for: console)
        style.theme = self.style
        style.details = try FormatDetails(self.formatOptions, isSorted: self.sorted)
        return style
    }

    /// What the response is taken for.
    ///
    /// - Throws: `CommandFailure` for a charset that is not known, or something that is not a media type.
    var responseContent: ResponseContent {
        get throws(CommandFailure) {
            if let name = self.responseCharset, Charset(named: name) == nil {
                throw .usage(
                    "“\(TerminalText.escapedLine(name))” is not a charset that is known: write for example utf-8 or latin1"
                )
            }
            if let type = self.responseMime, HeaderParameters(type).value.split(atScalar: "/") == nil {
                throw .usage(
                    "“\(TerminalText.escapedLine(type))” is not a media type: write for example application/json"
                )
            }
            return ResponseContent(type: self.responseMime, charset: self.responseCharset)
        }
    }
}

/// What the body of a response is taken for, in place of what its Content-Type says.
struct ResponseContent: Sendable {
    /// The media type; nil for the response's own.
    var type: String?
    /// The charset; nil for the response's own.
    var charset: String?

    /// The Content-Type to go by.
    ///
    /// - Parameter own: The response's own.
    /// - Returns: The value of the field; nil if there is none.
    func mediaType(instead own: String?) -> String? {
        guard self.type != nil || self.charset != nil else { return own }
        let parameters = HeaderParameters(own ?? "")
        let type = self.type ?? parameters.value
        let charset = self.charset ?? parameters.parameters["charset"]
        return type + (charset.map { "; charset=\"\($0)\"" } ?? "")
    }
}
