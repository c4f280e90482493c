// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How messages are formatted.
struct OutputStyle: Equatable, Sendable {
    /// Whether colours are used.
    var isColoured: Bool

    /// Whether JSON is indented.
    var isFormatted: Bool

    /// Whether control characters are made visible: on every terminal, even if nothing else is changed.
    var isEscaped: Bool

    /// The colours that are used.
    var theme = Palette.Theme.auto

    /// The details of the formats.
    var details = FormatDetails()

    /// Bytes as they came.
    static let plain = OutputStyle(isColoured: false, isFormatted: false, isEscaped: false)

    /// Whether the bytes go out as they came.
    var isPlain: Bool { !self.isColoured && !self.isFormatted && !self.isEscaped }

    /// The colours.
    var palette: Palette { Palette(isEnabled: self.isColoured, theme: self.theme) }
}

/// The choices of `--pretty`.
enum Prettiness: String, CaseIterable, Sendable {
    case all, colors, format, none

    /// What the choice means for a sink.
    ///
    /// - Parameters:
    ///   - choice: What was asked for; nil for everything on a terminal and nothing in a pipe.
    ///   - console: Where the output goes.
    /// - Returns: The style.
    static func style(_ choice: Prettiness?, for console: Console) -> OutputStyle {
        let isTerminal = console.output.isTerminal
        guard let choice else {
            return isTerminal
                ? OutputStyle(isColoured: console.allowsColours, isFormatted: true, isEscaped: true)
                : .plain
        }
        return OutputStyle(
            isColoured: choice == .all || choice == .colors,
            isFormatted: choice == .all || choice == .format,
            isEscaped: isTerminal || choice != .none
        )
    }
}
