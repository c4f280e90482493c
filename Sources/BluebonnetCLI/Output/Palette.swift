// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The colours of a theme, or none.
struct Palette: Sendable {
    /// What a piece of text is, and so how it looks.
    enum Role: Sendable {
        case method, target, version, fieldName
        case success, redirection, failure
        case key, string, number, literal
        case faint, strong

        /// The numbers of the sequence that switches the look on, in the terminal's own colours.
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

    /// The sequence that switches every look off.
    static let reset = "\u{1B}[0m"

    /// Whether anything is coloured.
    var isEnabled: Bool

    /// Which colours.
    var theme = Theme.auto

    /// The sequence that switches a look on.
    func start(_ role: Role) -> String { "\u{1B}[\(self.theme.code(of: role))m" }

    /// Wraps text in the sequences of a role; an empty text stays empty.
    func paint(_ text: some StringProtocol, _ role: Role) -> String {
        self.isEnabled && !text.isEmpty ? "\(self.start(role))\(text)\(Self.reset)" : String(text)
    }
}
