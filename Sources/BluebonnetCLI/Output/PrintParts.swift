// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The parts of an exchange that are printed: the letters of `--print`.
struct PrintParts: OptionSet, Sendable {
    let rawValue: Int

    static let requestHead = PrintParts(rawValue: 1)
    static let requestBody = PrintParts(rawValue: 2)
    static let responseHead = PrintParts(rawValue: 4)
    static let responseBody = PrintParts(rawValue: 8)
    static let timing = PrintParts(rawValue: 16)

    static let request: PrintParts = [.requestHead, .requestBody]
    static let response: PrintParts = [.responseHead, .responseBody]

    /// Parses the letters.
    ///
    /// - Parameter letters: Any of `H`, `B`, `h`, `b` and `m`, in any order.
    /// - Returns: The parts.
    /// - Throws: `CommandFailure` for any other letter.
    static func parse(_ letters: String) throws(CommandFailure) -> PrintParts {
        var parts: PrintParts = []
        for letter in letters {
            switch letter {
            case "H": parts.insert(.requestHead)
            case "B": parts.insert(.requestBody)
            case "h": parts.insert(.responseHead)
            case "b": parts.insert(.responseBody)
            case "m": parts.insert(.timing)
            default:
                throw .usage(
                    "“\(letter)” is not a part to print: use H and B for the request's head and body, h and b for the response's, m for timing"
                )
            }
        }
        return parts
    }
}
