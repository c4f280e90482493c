// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Options that people know from HTTPie or curl and that have another name here, or do not exist yet.
enum UnavailableOptions {
    private static let verification = "certificates are always verified: trust another root with --cacert FILE"
    private static let resuming = "downloads cannot be resumed yet: leave out --continue to load the file again"
    private static let retries = "requests are not repeated yet: run the command again"
    private static let data = "write name=value after the URL, name:=json for JSON, or the whole body with --raw TEXT"

    private static let explanations: [String: String] = [
        "-L": "-L is not an option: write --follow", "--location": "--location is not an option: write --follow",
        "--max-redirs": "--max-redirs is not an option: write --max-redirects COUNT",
        "--verify": verification, "-k": verification, "--insecure": verification,
        "--continue": resuming, "-c": resuming, "-C": resuming, "--continue-at": resuming,
        "--retry": retries, "--retry-delay": retries,
        "--session": "sessions are not stored yet: give headers and credentials with every request",
        "-X": "-X is not an option: write the method before the URL, “bluebonnet PUT URL”",
        "--request": "--request is not an option: write the method before the URL, “bluebonnet PUT URL”",
        "-G": "-G is not an option: write name==value after the URL",
        "--get": "--get is not an option: write name==value after the URL",
        "-H": "-H is not an option: write headers after the URL, “bluebonnet URL Header:value”",
        "--header": "--header is not an option: write headers after the URL, “bluebonnet URL Header:value”",
        "-i": "-i is not an option: --print hb shows the head and the body",
        "--include": "--include is not an option: --print hb shows the head and the body",
        "--head": "--head is not an option: write the method before the URL, “bluebonnet HEAD URL”",
        "-s": "-s is not an option: progress is shown on terminals only; leave it out, or add 2>/dev/null",
        "--silent": "--silent is not an option: progress is shown on terminals only; leave it out, or add 2>/dev/null",
        "-q": "-q is not an option: progress is shown on terminals only; leave it out, or add 2>/dev/null",
        "-u": "-u is not an option: write --auth user:password",
        "--user": "--user is not an option: write --auth user:password",
        "-O": "-O is not an option: write --download",
        "--remote-name": "--remote-name is not an option: write --download",
        "--data": "--data is not an option: \(data)",
        "--data-raw": "--data-raw is not an option: \(data)",
        "--data-binary": "--data-binary is not an option: write @FILE after the URL, or --raw TEXT",
        "--data-urlencode": "--data-urlencode is not an option: write --form and name=value after the URL",
        "--compressed": "--compressed is not needed: compression is asked for and removed unless --download is given",
        "-x": "-x is not an option: write --proxy URL",
        "-m": "-m is not an option: write --max-time SECONDS",
        "-w": "-w is not an option: --print m shows the timing",
        "-T": "-T is not an option: write “bluebonnet PUT URL @FILE”",
        "--upload-file": "--upload-file is not an option: write “bluebonnet PUT URL @FILE”",
        "-E": "-E is not an option: write --cert FILE",
        "-e": "-e is not an option: write “Referer:URL” after the URL",
        "--user-agent": "--user-agent is not an option: write “User-Agent:text” after the URL",
        "-g": "-g is not needed: brackets in a URL are taken as they are",
        "--fail": "--fail is not an option: write --check-status",
        "--connect-timeout": "--connect-timeout is not an option: write --timeout SECONDS",
        "--chunked": "--chunked is not an option: a body of unknown length is sent chunked by itself",
    ]

    /// What to do instead of the first unknown option; nil if there is nothing to say about it.
    static func explanation(of words: OptionWords) -> String? {
        for word in words.unknown {
            let name = String(word.split(atScalar: "=")?.before ?? word[...])
            if let text = Self.explanations[name] { return text }
            if let guess = Self.closest(to: name) { return "unknown option “\(name)”: did you mean “\(guess)”?" }
        }
        // `-d '{"a": 1}'` is curl's; here it is a download of an odd URL.
        if words.contains("download"), let first = words.positional.first, Self.looksLikeData(first) {
            return "“\(first)” is not a URL: -d is --download here; to send data, \(Self.data)"
        }
        return nil
    }

    /// The option whose name is nearest, if it is near.
    private static func closest(to name: String) -> String? {
        guard name.starts(withScalars: "--") else { return nil }
        let distances = RequestOption.all.map { ($0.name, EditDistance.between("--\($0.name)", name)) }
        guard let (nearest, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= 2 else { return nil }
        return "--\(nearest)"
    }

    private static func looksLikeData(_ word: String) -> Bool {
        if word.starts(withScalars: "{") || word.starts(withScalars: "[{") { return true }
        let end = word.unicodeScalars.firstIndex { $0 == "/" || $0 == "?" || $0 == ":" } ?? word.endIndex
        return word[..<end].contains(scalar: "=")
    }
}
