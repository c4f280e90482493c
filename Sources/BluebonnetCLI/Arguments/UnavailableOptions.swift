// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Options that people know from HTTPie or curl and that mean something else here, or nothing yet.
enum UnavailableOptions {
    private static let explanations: [String: String] = [
        "--follow": "redirects are not followed yet: send the request to the Location that --headers shows",
        "-F": "redirects are not followed yet: send the request to the Location that --headers shows",
        "-L": "redirects are not followed yet: send the request to the Location that --headers shows",
        "--location": "redirects are not followed yet: send the request to the Location that --headers shows",
        "--verify": "certificates are always verified: trust another root with --cacert FILE",
        "-k": "certificates are always verified: trust another root with --cacert FILE",
        "--insecure": "certificates are always verified: trust another root with --cacert FILE",
        "--continue": "downloads cannot be resumed yet: leave out --continue to load the file again",
        "-c": "downloads cannot be resumed yet: leave out --continue to load the file again",
        "--session": "sessions are not stored yet: give headers and credentials with every request",
        "-X": "-X is not an option: write the method before the URL, “bluebonnet PUT URL”",
        "--request": "--request is not an option: write the method before the URL, “bluebonnet PUT URL”",
        "-H": "-H is not an option: write headers after the URL, “bluebonnet URL Header:value”",
        "--header": "--header is not an option: write headers after the URL, “bluebonnet URL Header:value”",
        "--data": "--data is not an option: write name=value after the URL, or the whole body with --raw TEXT",
        "-x": "-x is not an option: write --proxy URL",
        "--chunked": "--chunked is not an option: a body of unknown length is sent chunked by itself",
    ]

    /// What to do instead of the first such option, if there is one.
    static func explanation(in words: [String]) -> String? {
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") {
            if let text = Self.explanations[String(word.prefix { $0 != "=" })] { return text }
        }
        return nil
    }
}
