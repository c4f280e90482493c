// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The choices of `--pictures`.
enum PictureChoice: String, CaseIterable, Sendable {
    /// The best way that the terminal is known to have.
    case auto
    /// The graphics protocol of kitty.
    case kitty
    /// Inline images of iTerm2.
    case iterm2
    /// Sixels, as DEC's VT340 and others have them.
    case sixel
    /// Half blocks: two pixels a character, in colours.
    case blocks
    /// Nothing but the size.
    case none

    /// The way for a terminal.
    ///
    /// A terminal is not asked, because its answer comes as if somebody had typed it: the environment says what it is.
    ///
    /// - Parameter console: The terminal, and the variables that it has set.
    /// - Returns: A way other than `auto`.
    func resolved(for console: Console) -> PictureChoice {
        guard self == .auto else { return self }
        let environment = console.environment
        func value(_ name: String) -> String { environment[name] ?? "" }
        let (terminal, program) = (value("TERM"), value("TERM_PROGRAM"))
        if terminal == "dumb" || terminal.isEmpty { return .none }
        let blocks: PictureChoice = console.allowsUnicode && console.allowsColours ? .blocks : .none
        // A multiplexer draws the screen itself, and does not know of pictures.
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
