// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Palette {
    /// The values of `--style`.
    enum Theme: String, CaseIterable, Sendable {
        /// The colours of the terminal's own theme.
        case auto
        /// Fixed colours for a dark background.
        case dark
        /// Fixed colours for a light background.
        case light
        /// No colours, only bold and faint text.
        case mono

        /// Returns the parameters of the SGR escape sequence for a role (ECMA-48, Select Graphic Rendition).
        func code(of role: Role) -> String {
            switch self {
            case .auto: role.code
            case .dark: Self.fixed(role, Self.darkColours) ?? role.code
            case .light: Self.fixed(role, Self.lightColours) ?? role.code
            case .mono: Self.monochrome(role)
            }
        }

        /// Returns the parameters for a colour of the 256-colour palette, for roles that have one.
        private static func fixed(_ role: Role, _ colours: [Role: Int]) -> String? {
            guard let colour = colours[role] else { return nil }
            let isBold = role == .method || role == .key || role == .literal
            return (isBold ? "1;" : "") + "38;5;\(colour)"
        }

        private static let darkColours: [Role: Int] = [
            .method: 114, .target: 80, .version: 110, .fieldName: 117, .success: 114, .redirection: 222, .failure: 203,
            .key: 111, .string: 222, .number: 176, .literal: 80, .faint: 245,
        ]

        private static let lightColours: [Role: Int] = [
            .method: 28, .target: 24, .version: 25, .fieldName: 24, .success: 28, .redirection: 130, .failure: 160,
            .key: 19, .string: 94, .number: 90, .literal: 30, .faint: 243,
        ]

        private static func monochrome(_ role: Role) -> String {
            switch role {
            case .method, .key, .fieldName, .failure, .strong: "1"
            case .version, .faint: "2"
            default: "22"
            }
        }
    }
}
