// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

extension FormatCommandOptions {
    /// Returns the style for messages on a console.
    ///
    /// - Throws: `CommandFailure` for an unknown setting.
    func style(for console: Console) throws(CommandFailure) -> OutputStyle {
        var style = Prettiness.style(self.pretty, for: console)
        style.theme = self.style
        style.details = try FormatDetails(self.formatOptions, isSorted: self.sorted)
        return style
    }

    /// The media type and charset that override those of the response.
    ///
    /// - Throws: `CommandFailure` for an unknown charset, or an invalid media type.
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

/// A media type and a charset that override the Content-Type of a response.
struct ResponseContent: Sendable {
    /// The media type; nil for that of the response.
    var type: String?
    /// The charset; nil for that of the response.
    var charset: String?

    /// Returns the effective Content-Type.
    ///
    /// - Parameter own: The Content-Type of the response.
    /// - Returns: The value of the field; nil if there is none.
    func mediaType(instead own: String?) -> String? {
        guard self.type != nil || self.charset != nil else { return own }
        let parameters = HeaderParameters(own ?? "")
        let type = self.type ?? parameters.value
        let charset = self.charset ?? parameters.parameters["charset"]
        return type + (charset.map { "; charset=\"\($0)\"" } ?? "")
    }
}
