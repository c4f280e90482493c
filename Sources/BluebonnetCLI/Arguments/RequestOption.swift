// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The options of a request, as they are written on the command line.
struct RequestOption: Sendable {
    /// Options of which one counts: the last.
    enum Group: Sendable {
        case format, parts
    }

    /// The name behind the two hyphens.
    var name: String
    /// The letter behind one hyphen.
    var letter: Unicode.Scalar?
    var takesValue = false
    var group: Group?
    /// Other options of the group that it goes with.
    var companions: [String] = []

    /// Every option; the parser knows what they mean.
    static let all = [
        RequestOption(name: "json", letter: "j", group: .format),
        RequestOption(name: "form", letter: "f", group: .format, companions: ["multipart"]),
        RequestOption(name: "multipart", group: .format, companions: ["form"]),
        RequestOption(name: "plist", group: .format),
        RequestOption(name: "parameters", takesValue: true),
        RequestOption(name: "raw", takesValue: true),
        RequestOption(name: "boundary", takesValue: true),
        RequestOption(name: "ignore-stdin", letter: "I"),
        RequestOption(name: "offline"),
        RequestOption(name: "print", letter: "p", takesValue: true, group: .parts),
        RequestOption(name: "verbose", letter: "v", group: .parts),
        RequestOption(name: "all"),
        RequestOption(name: "headers", letter: "h", group: .parts),
        RequestOption(name: "body", letter: "b", group: .parts),
        RequestOption(name: "pretty", takesValue: true),
        RequestOption(name: "download", letter: "d"),
        RequestOption(name: "output", letter: "o", takesValue: true),
        RequestOption(name: "check-status"),
        RequestOption(name: "auth", letter: "a", takesValue: true),
        RequestOption(name: "auth-type", letter: "A", takesValue: true),
        RequestOption(name: "timeout", takesValue: true),
        RequestOption(name: "max-time", takesValue: true),
        RequestOption(name: "follow", letter: "F"),
        RequestOption(name: "max-redirects", takesValue: true),
        RequestOption(name: "cacert", takesValue: true),
        RequestOption(name: "proxy", takesValue: true),
        RequestOption(name: "noproxy", takesValue: true),
        RequestOption(name: "unix-socket", takesValue: true),
        RequestOption(name: "cert", takesValue: true),
        RequestOption(name: "key", takesValue: true),
        RequestOption(name: "tls-min", takesValue: true),
        RequestOption(name: "help"),
        RequestOption(name: "version"),
    ]

    static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    static let byLetter = Dictionary(all.compactMap { option in option.letter.map { ($0, option) } }) { first, _ in
        first
    }

    /// Whether this option takes the effect from one that stands before it.
    func overrides(_ other: RequestOption) -> Bool {
        if self.name == other.name { return true }
        return self.group != nil && self.group == other.group && !self.companions.contains(other.name)
    }
}
