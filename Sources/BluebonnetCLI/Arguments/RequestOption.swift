// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An option of a request, as it is written on the command line.
struct RequestOption: Sendable {
    /// A set of mutually exclusive options, the last of which is effective.
    enum Group: Sendable {
        case format, parts, order, session
    }

    /// The long name, without the two hyphens.
    var name: String
    /// The short name, without the hyphen.
    var letter: Unicode.Scalar?
    var takesValue = false
    var group: Group?
    /// Other options of the group that this one can be combined with.
    var companions: [String] = []
    /// Whether every occurrence is effective, because they are counted or each has a value.
    var isRepeatable = false
    /// A second long name, without the two hyphens.
    var alias: String?

    /// Every option; the argument parser defines their meaning.
    static let all = Self.body + Self.output + Self.format + Self.transfer + Self.connection + Self.tls

    private static let body = [
        RequestOption(name: "json", letter: "j", group: .format),
        RequestOption(name: "form", letter: "f", group: .format, companions: ["multipart"]),
        RequestOption(name: "multipart", group: .format, companions: ["form"]),
        RequestOption(name: "plist", group: .format),
        RequestOption(name: "parameters", takesValue: true),
        RequestOption(name: "raw", takesValue: true),
        RequestOption(name: "boundary", takesValue: true),
        RequestOption(name: "compress", letter: "x", isRepeatable: true),
        RequestOption(name: "chunked"),
        RequestOption(name: "ignore-stdin", letter: "I"),
    ]

    private static let output = [
        RequestOption(name: "offline"),
        RequestOption(name: "print", letter: "p", takesValue: true, group: .parts),
        RequestOption(name: "verbose", letter: "v", group: .parts, isRepeatable: true),
        RequestOption(name: "all"),
        RequestOption(name: "headers", letter: "h", group: .parts),
        RequestOption(name: "body", letter: "b", group: .parts),
        RequestOption(name: "meta", letter: "m", group: .parts),
        RequestOption(name: "quiet", letter: "q", isRepeatable: true),
        RequestOption(name: "check-status"),
        RequestOption(name: "debug"),
        RequestOption(name: "har", takesValue: true),
        RequestOption(name: "as", takesValue: true),
        RequestOption(name: "explain"),
        RequestOption(name: "sse"),
        RequestOption(name: "bench", takesValue: true),
        RequestOption(name: "parallel", takesValue: true),
        RequestOption(name: "resumable", takesValue: true),
    ]

    private static let format = [
        RequestOption(name: "pretty", takesValue: true),
        RequestOption(name: "style", letter: "s", takesValue: true),
        RequestOption(name: "sorted", group: .order),
        RequestOption(name: "unsorted", group: .order),
        RequestOption(name: "format-options", takesValue: true, isRepeatable: true),
        RequestOption(name: "response-charset", takesValue: true),
        RequestOption(name: "response-mime", takesValue: true),
        RequestOption(name: "stream", letter: "S"),
        RequestOption(name: "pictures", takesValue: true),
    ]

    private static let transfer = [
        RequestOption(name: "download", letter: "d"),
        RequestOption(name: "output", letter: "o", takesValue: true),
        RequestOption(name: "continue", letter: "c"),
        RequestOption(name: "sha256", takesValue: true),
        RequestOption(name: "auth", letter: "a", takesValue: true),
        RequestOption(name: "auth-type", letter: "A", takesValue: true),
        RequestOption(name: "ignore-netrc"),
        RequestOption(name: "session", takesValue: true, group: .session),
        RequestOption(name: "session-read-only", takesValue: true, group: .session),
    ]

    private static let connection = [
        RequestOption(name: "timeout", takesValue: true),
        RequestOption(name: "max-time", takesValue: true),
        RequestOption(name: "follow", letter: "F"),
        RequestOption(name: "max-redirects", takesValue: true),
        RequestOption(name: "retry", takesValue: true),
        RequestOption(name: "path-as-is"),
        RequestOption(name: "default-scheme", takesValue: true),
        RequestOption(name: "proxy", takesValue: true),
        RequestOption(name: "noproxy", takesValue: true),
        RequestOption(name: "unix-socket", takesValue: true),
    ]

    private static let tls = [
        RequestOption(name: "cacert", takesValue: true),
        RequestOption(name: "verify", takesValue: true),
        RequestOption(name: "trust", takesValue: true),
        RequestOption(name: "cert", takesValue: true),
        RequestOption(name: "cert-key", takesValue: true, alias: "key"),
        RequestOption(name: "cert-key-pass", takesValue: true),
        RequestOption(name: "ciphers", takesValue: true),
        RequestOption(name: "tls-min", takesValue: true),
        RequestOption(name: "ssl", takesValue: true),
        RequestOption(name: "help"),
        RequestOption(name: "version"),
    ]

    static let byName = Dictionary(
        all.flatMap { option in [option.name, option.alias].compactMap(\.self).map { ($0, option) } }
    ) { first, _ in first }

    static let byLetter = Dictionary(all.compactMap { option in option.letter.map { ($0, option) } }) { first, _ in
        first
    }

    /// Returns whether this option overrides an earlier one.
    func overrides(_ other: RequestOption) -> Bool {
        if self.name == other.name { return !self.isRepeatable }
        return self.group != nil && self.group == other.group && !self.companions.contains(other.name)
    }
}
