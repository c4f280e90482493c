// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The colours of a theme, or no colours.
struct Palette: Sendable {
    /// The role of a piece of text, which determines its colour.
    enum Role: Sendable {
        case method, target, version, fieldName
        case success, redirection, failure
        case key, string, number, literal
        case faint, strong

        /// The parameters of the SGR escape sequence, in the terminal's own colours.
        var code: String {
            switch self {
            case .method: "1;32"
            case .target: "36"
            case .version: "34"
            case .fieldName: "94"
            case .success: "32"
            case .redirection: "33"
            case .failure: "31"
            case .key: "1;34"
            case .string: "33"
            case .number: "35"
            case .literal: "1;36"
            case .faint: "2"
            case .strong: "1"
            }
        }
    }

    /// The escape sequence that resets colours and attributes.
    static let reset = "\u{1B}[0m"

    /// Whether colours are used.
    var isEnabled: Bool

    /// The theme.
    var theme = Theme.auto

    /// Returns the escape sequence that begins the colour of a role.
    func start(_ role: Role) -> String { "\u{1B}[\(self.theme.code(of: role))m" }

    /// Encloses text in the escape sequences of a role; empty text stays empty.
    func paint(_ text: some StringProtocol, _ role: Role) -> String {
        self.isEnabled && !text.isEmpty ? "\(self.start(role))\(text)\(Self.reset)" : String(text)
    }
}
