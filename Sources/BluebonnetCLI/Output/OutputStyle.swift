// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The formatting of printed messages.
struct OutputStyle: Equatable, Sendable {
    /// Whether colours are used.
    var isColoured: Bool

    /// Whether JSON is indented.
    var isFormatted: Bool

    /// Whether control characters are escaped: always on a terminal, even if nothing else is formatted.
    var isEscaped: Bool

    /// The colour theme.
    var theme = Palette.Theme.auto

    /// The settings of `--format-options`.
    var details = FormatDetails()

    /// Unchanged bytes.
    static let plain = OutputStyle(isColoured: false, isFormatted: false, isEscaped: false)

    /// Whether bytes are written unchanged.
    var isPlain: Bool { !self.isColoured && !self.isFormatted && !self.isEscaped }

    /// The palette of the theme.
    var palette: Palette { Palette(isEnabled: self.isColoured, theme: self.theme) }
}

/// The values of `--pretty`.
enum Prettiness: String, CaseIterable, Sendable {
    case all, colors, format, none

    /// Returns the style for a console.
    ///
    /// - Parameters:
    ///   - choice: The value of the option; nil to format on a terminal and leave bytes unchanged otherwise.
    ///   - console: The console that is printed to.
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
