// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The values of `--pictures`.
enum PictureChoice: String, CaseIterable, Sendable {
    /// The best protocol that the terminal is known to support.
    case auto
    /// The graphics protocol of kitty.
    case kitty
    /// Inline images of iTerm2.
    case iterm2
    /// Sixels, as supported by DEC's VT340 and others.
    case sixel
    /// Half blocks: two pixels per character, in colours.
    case blocks
    /// No picture, only its size.
    case none

    /// Returns the protocol for a terminal.
    ///
    /// The environment identifies the terminal. A query's response would be read as keyboard input.
    ///
    /// - Parameter console: The console with the environment variables of the terminal.
    /// - Returns: A choice other than `auto`.
    func resolved(for console: Console) -> PictureChoice {
        guard self == .auto else { return self }
        let environment = console.environment
        func value(_ name: String) -> String { environment[name] ?? "" }
        let (terminal, program) = (value("TERM"), value("TERM_PROGRAM"))
        if terminal == "dumb" || terminal.isEmpty { return .none }
        let blocks: PictureChoice = console.allowsUnicode && console.allowsColours ? .blocks : .none
        // A multiplexer draws the screen itself, and does not support pictures.
        let isMultiplexed =
            !value("TMUX").isEmpty || !value("STY").isEmpty || terminal.starts(withScalars: "screen")
            || terminal.starts(withScalars: "tmux")
        if isMultiplexed { return blocks }
        let speaksKitty =
            !value("KITTY_WINDOW_ID").isEmpty || !value("KONSOLE_VERSION").isEmpty || terminal.contains("kitty")
            || terminal.contains("ghostty") || program == "ghostty"
        if speaksKitty { return .kitty }
        if ["iTerm.app", "WezTerm", "mintty"].contains(program) || value("LC_TERMINAL") == "iTerm2" { return .iterm2 }
        let isSixel =
            ["foot", "mlterm", "yaft", "contour"].contains { terminal.starts(withScalars: $0) }
            || terminal.contains("sixel")
        return isSixel ? .sixel : blocks
    }
}
