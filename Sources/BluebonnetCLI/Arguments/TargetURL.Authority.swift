// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

extension TargetURL {
    /// The part of a URL between `//` and the path: user information, host and port.
    struct Authority {
        /// Host and port as they go into the URL.
        var text: String

        /// What stood before the `@`.
        var userInfo: UserInfo?

        /// Reads an authority.
        ///
        /// - Parameters:
        ///   - authority: The part of the URL.
        ///   - whole: The URL as it was written, for errors.
        /// - Throws: `CommandFailure` that says what is wrong with it.
        init(_ authority: Substring, in whole: String) throws(CommandFailure) {
            var rest = authority
            if let at = rest.lastIndex(of: "@") {
                let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                self.userInfo = UserInfo(
                    user: Self.decoded(parts[0]),
                    password: parts.count > 1 ? Self.decoded(parts[1]) : ""
                )
                rest = rest[rest.index(after: at)...]
            }
            let (host, port) = try Self.split(rest, in: whole)
            try Self.check(host: host, in: whole)
            self.text = host.lowercased()
            if let port, !port.isEmpty {
                guard let number = Int(port), (1...65535).contains(number),
                    port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
                else {
                    throw .usage("“\(port)” is not a port in “\(whole)”: write a number from 1 to 65535 after the host")
                }
                self.text += ":\(number)"
            }
        }

        private static func split(_ text: Substring, in whole: String) throws(CommandFailure) -> (Substring, Substring?)
        {
            if text.hasPrefix("[") {
                guard let end = text.firstIndex(of: "]") else {
                    throw .usage("“\(whole)” lacks the “]” after an IPv6 address")
                }
                let after = text[text.index(after: end)...]
                guard after.isEmpty || after.hasPrefix(":") else {
                    throw .usage("“\(whole)” has text between the “]” of an IPv6 address and the path")
                }
                return (text[...end], after.isEmpty ? nil : after.dropFirst())
            }
            guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
            let port = text[text.index(after: colon)...]
            if port.contains(":") {
                throw .usage("“\(text)” has more than one colon: write an IPv6 address in brackets, “[\(text)]”")
            }
            return (text[..<colon], port)
        }

        private static func check(host: Substring, in whole: String) throws(CommandFailure) {
            guard !host.isEmpty else {
                throw .usage("“\(whole)” has no host: write for example “http://localhost:8080/path” or “:8080/path”")
            }
            if host.hasPrefix("[") {
                let inner = host.dropFirst().dropLast()
                guard inner.contains(":"), inner.utf8.allSatisfy({ Self.addressBytes.contains($0) }) else {
                    throw .usage("“\(host)” is not an IPv6 address")
                }
                return
            }
            guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw .usage("the host “\(host)” has letters outside ASCII: write it in its “xn--” form")
            }
            if let bad = host.first(where: { !($0.isLetter || $0.isNumber || "-._~%!$&'()*+,;=".contains($0)) }) {
                throw .usage(
                    "the host “\(host)” holds “\(bad)”: quote items that hold spaces, and put the URL before them"
                )
            }
        }

        private static let addressBytes = Set("0123456789abcdefABCDEF:.%".utf8)

        private static func decoded(_ text: Substring) -> String {
            (try? PercentEncoding.unescape(text)) ?? String(text)
        }
    }
}
