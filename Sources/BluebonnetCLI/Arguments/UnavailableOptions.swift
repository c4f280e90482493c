// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Options that people know from HTTPie or curl and that have another name here, or do not exist yet.
enum UnavailableOptions {
    private static let verification = TLSCommandOptions.neverUnverified
    private static let resuming = "is not an option: write --download --continue --output FILE"
    private static let retries = "is not an option: pauses grow by themselves; the server's Retry-After is kept"
    private static let data = "write name=value after the URL, name:=json for JSON, or the whole body with --raw TEXT"

    private static let explanations: [String: String] = [
        "-L": "-L is not an option: write --follow", "--location": "--location is not an option: write --follow",
        "--max-redirs": "--max-redirs is not an option: write --max-redirects COUNT",
        "-k": verification, "--insecure": verification,
        "-C": "-C \(resuming)", "--continue-at": "--continue-at \(resuming)",
        "--retry-delay": "--retry-delay \(retries)",
        "--url": "--url is not an option: write the URL by itself, “bluebonnet [METHOD] URL [ITEM …]”",
        "-X": "-X is not an option: write the method before the URL, “bluebonnet PUT URL”",
        "--request": "--request is not an option: write the method before the URL, “bluebonnet PUT URL”",
        "-G": "-G is not an option: write name==value after the URL",
        "--get": "--get is not an option: write name==value after the URL",
        "-H": "-H is not an option: write headers after the URL, “bluebonnet URL Header:value”",
        "--header": "--header is not an option: write headers after the URL, “bluebonnet URL Header:value”",
        "-i": "-i is not an option: --print hb shows the head and the body",
        "--include": "--include is not an option: --print hb shows the head and the body",
        "--head": "--head is not an option: write the method before the URL, “bluebonnet HEAD URL”",
        "--silent":
            "--silent is not an option: progress is shown on terminals only; --quiet prints nothing else either",
        "-u": "-u is not an option: write --auth user:password",
        "--user": "--user is not an option: write --auth user:password",
        "-O": "-O is not an option: write --download",
        "--remote-name": "--remote-name is not an option: write --download",
        "--data": "--data is not an option: \(data)",
        "--data-raw": "--data-raw is not an option: \(data)",
        "--data-binary": "--data-binary is not an option: write @FILE after the URL, or --raw TEXT",
        "--data-urlencode": "--data-urlencode is not an option: write --form and name=value after the URL",
        "--compressed": "--compressed is not needed: compression is asked for and removed unless --download is given",
        "-V": "-V is not an option: write --version",
        "-w": "-w is not an option: --print m shows the timing",
        "-T": "-T is not an option: write “bluebonnet PUT URL @FILE”",
        "--upload-file": "--upload-file is not an option: write “bluebonnet PUT URL @FILE”",
        "-E": "-E is not an option: write --cert FILE",
        "-e": "-e is not an option: write “Referer:URL” after the URL",
        "--user-agent": "--user-agent is not an option: write “User-Agent:text” after the URL",
        "-g": "-g is not needed: brackets in a URL are taken as they are",
        "--fail": "--fail is not an option: write --check-status",
        "--digest": "--digest is not an option: write --auth-type digest",
        "--oauth2-bearer": "--oauth2-bearer is not an option: write --auth-type bearer --auth TOKEN",
        "--netrc": "--netrc is not needed: ~/.netrc is looked at unless --ignore-netrc is given",
        "-n": "-n is not needed: ~/.netrc is looked at unless --ignore-netrc is given",
        "--cookie":
            "--cookie is not an option: write “Cookie:name=value” after the URL, or keep cookies with --session NAME",
        "--cookie-jar": "--cookie-jar is not an option: keep cookies with --session NAME",
        "--connect-timeout": "--connect-timeout is not an option: write --timeout SECONDS",
    ]

    /// The suggestion for the first unknown option; nil if there is none.
    static func explanation(of words: OptionWords) -> String? {
        if let text = words.unknown.lazy.compactMap(Self.explanation(ofUnknown:)).first { return text }
        // `-d '{"a": 1}'` is curl's; here it is a download of an odd URL.
        if words.contains("download"), let first = words.positional.first, Self.looksLikeData(first) {
            return "“\(first)” is not a URL: -d is --download here; to send data, \(Self.data)"
        }
        return Self.explanationOfLetter(words)
    }

    /// The suggestion for an unknown option, as it is written, with its value or without; nil if there is none.
    static func explanation(ofUnknown word: String) -> String? {
        let name = String(word.split(atScalar: "=")?.before ?? word[...])
        return Self.superfluousValue(word, of: name) ?? Self.explanation(ofOption: name) ?? Self.guess(name)
    }

    /// The suggestion for an option of other programs, as it is written; nil if there is none.
    static func explanation(ofOption name: String) -> String? {
        Self.explanations[name] ?? Self.explanationOfCurl(name)
    }

    /// The suggestion for an option that only `bluebonnet curl` reads; nil if that does not read it either.
    private static func explanationOfCurl(_ name: String) -> String? {
        guard let option = CurlOption.option(written: name) else { return nil }
        return switch option.meaning {
        case .ignored: "\(name) is not needed: leave it out"
        case .refused(let reason): "\(name) is curl's: \(reason)"
        case .flag, .option, .special: "\(name) is curl's: write the whole command as “bluebonnet curl …”"
        }
    }

    /// curl's letters that mean something else here, where what follows shows that curl's meaning is meant.
    private static func explanationOfLetter(_ words: OptionWords) -> String? {
        if let style = words.value(of: "style"), Palette.Theme(rawValue: style) == nil {
            let names = Palette.Theme.allCases.map(\.rawValue).joined(separator: ", ")
            return
                "“\(style)” is not a style: --style (-s) takes one of \(names); curl's -s is --quiet, and leave it out if it is for the progress alone"
        }
        if let type = words.value(of: "auth-type"), AuthenticationType(rawValue: type) == nil {
            return
                "“\(type)” is not a way to send credentials: --auth-type (-A) takes basic, digest or bearer; for curl's -A write “User-Agent:text” after the URL"
        }
        let first = words.positional.first ?? ""
        if words.contains("compress"), words.positional.count > 1, first.contains("://"),
            !ItemParser.looksLikeItem(words.positional[1]) || words.positional[1].contains("://")
        {
            return "-x is --compress here: for a proxy write --proxy \(TargetURL.redacted(first))"
        }
        if words.contains("meta"), words.positional.count > 1, Double(first) != nil {
            return "-m is --meta here: for a time limit write --max-time \(first)"
        }
        return nil
    }

    /// The message about `--form=yes`; nil for a word that is not an option with a value too many.
    private static func superfluousValue(_ word: String, of name: String) -> String? {
        guard word != name, name.starts(withScalars: "--"),
            let option = RequestOption.byName[String(name.droppingScalars(2))], !option.takesValue
        else { return nil }
        return "\(name) takes no value: write \(name), or --no-\(option.name) to take it back"
    }

    /// The names of a request's options, for guessing.
    static let names = NameGuess(names: RequestOption.all.map(\.name) + ["generate-completion-script"])

    /// The words that revoke an option.
    private static let negatedNames = NameGuess(
        names: RequestOption.all.filter { $0.name != "help" && $0.name != "version" }.map { "no-\($0.name)" }
    )

    /// The names of the options of other programs that are explained.
    private static let foreignNames = NameGuess(
        names: Self.explanations.keys.filter { $0.starts(withScalars: "--") }.map { String($0.droppingScalars(2)) }
            .sorted() + CurlOption.byName.keys.sorted()
    )

    /// The suggestion for an option that may be mistyped; nil if no other is similar.
    private static func guess(_ option: String) -> String? {
        guard option.starts(withScalars: "--") else { return nil }
        let name = String(option.droppingScalars(2))
        let start = "unknown option “\(option)”"
        var candidates = Self.names.candidates(for: name)
        // `--nofollow` is nearer to `--no-follow` than to its opposite.
        let negated = name.starts(withScalars: "no") ? Self.negatedNames.nearest(to: name) : ([], 0)
        if !negated.0.isEmpty, candidates.isEmpty || negated.1 < Self.names.nearest(to: name).distance {
            candidates = negated.0
        }
        if !candidates.isEmpty { return "\(start): did you mean \(NameGuess.text(candidates))?" }
        let foreign = Self.foreignNames.nearest(to: name)
        guard name.utf8.count >= 5, foreign.distance <= 1, foreign.names.count == 1, let meant = foreign.names.first
        else {
            return nil
        }
        return Self.explanation(ofOption: "--\(meant)").map { "\(start); \($0)" }
    }

    private static func looksLikeData(_ word: String) -> Bool {
        if word.starts(withScalars: "{") || word.starts(withScalars: "[{") { return true }
        let end = word.unicodeScalars.firstIndex { $0 == "/" || $0 == "?" || $0 == ":" } ?? word.endIndex
        return word[..<end].contains(scalar: "=")
    }
}
