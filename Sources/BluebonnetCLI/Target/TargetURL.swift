// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// The URL of a command line, with shorthands expanded and invalid bytes percent-encoded.
///
/// `:8080/path` and `:/path` are on localhost; the default scheme is http.
struct TargetURL: Equatable, Sendable {
    /// The absolute URL, without user information and fragment.
    var url: URL

    /// The user information before the `@` of the authority; nil if there is none.
    var userInfo: UserInfo?

    /// A user name and a password, percent-decoded.
    struct UserInfo: Equatable, Sendable {
        var user: String
        var password: String
    }

    /// Parses a URL as it was typed; leading and trailing blanks are ignored.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - defaultScheme: The scheme if the text has none.
    ///   - keepsDotSegments: Whether `/./` and `/../` in the path are sent unchanged instead of being removed.
    /// - Throws: `CommandFailure` with the reason, without the user information.
    init(
        _ text: String,
        defaultScheme: String = "http",
        keepsDotSegments: Bool = false
    ) throws(CommandFailure) {
        let text = String(text.trimmingBlanks)
        guard !text.isEmpty else {
            throw .usage("the URL is empty: write for example “bluebonnet localhost:8080/path”")
        }
        if let scalar = text.unicodeScalars.first(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            let code = String(scalar.value, radix: 16, uppercase: true)
            throw .usage("the URL holds a control character (0x\(code)): remove it, or write it percent-encoded")
        }
        let (scheme, rest) = try Self.scheme(of: text, defaultScheme: defaultScheme)
        let end = rest.unicodeScalars.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        if Self.lacksPort(rest[..<end]), rest[end...].contains(scalar: "@") {
            throw .usage(
                "“\(Self.redacted(text))” has no port that is a number from 1 to 65535: in user information write “/” as %2F, “?” as %3F and “#” as %23"
            )
        }
        let authority = try Authority(rest[..<end], in: Self.redacted(text))
        self.userInfo = authority.userInfo
        let path = rest[end...]
        var target = String(path.split(atScalar: "#")?.before ?? path)
        if !target.starts(withScalars: "/") { target = "/" + target }
        target = Self.encoded(target)
        if !keepsDotSegments { target = Self.removingDotSegments(target) }
        let whole = "\(scheme)://\(authority.text)\(target)"
        guard let url = URL(string: whole, encodingInvalidCharacters: false) else {
            throw .usage("“\(Self.redacted(text))” is not a URL: write for example “http://localhost:8080/path”")
        }
        self.url = url
    }

    /// Removes the scheme and expands shorthands.
    private static func scheme(of text: String, defaultScheme: String) throws(CommandFailure) -> (String, Substring) {
        if let range = text.unicodeScalars.firstRange(of: "://".unicodeScalars) {
            let scheme = text[..<range.lowerBound]
            let rest = text[range.upperBound...]
            // “bluebonnet ://example.org” results from pasting a URL after a scheme.
            if scheme.isEmpty { return (defaultScheme, rest) }
            if Self.isScheme(scheme) {
                try Self.checkScheme(scheme)
                return (scheme.asciiLowercased, rest)
            }
        } else {
            try Self.checkSlashes(text)
        }
        // A colon before an “@” separates a password from an empty user name, and is no shorthand.
        guard text.starts(withScalars: ":"), !Self.hasUserInfo(text) else { return (defaultScheme, text[...]) }
        if text.starts(withScalars: "::") {
            let shown = Self.redacted(text)
            throw .usage("“\(shown)” looks like an IPv6 address: write it in brackets, “[\(shown)]”")
        }
        return (defaultScheme, Substring("localhost" + text))
    }

    /// Whether the authority at the beginning of a text holds an “@”.
    private static func hasUserInfo(_ text: String) -> Bool {
        text.utf8.prefix { !"/?#".utf8.contains($0) }.contains(UInt8(ascii: "@"))
    }

    private static func checkScheme(_ scheme: Substring) throws(CommandFailure) {
        let lowered = scheme.asciiLowercased
        if lowered == "http" || lowered == "https" { return }
        let known = ["ftp", "ftps", "sftp", "file", "ws", "wss", "data", "mailto", "ssh"]
        let guess = ["https", "http"].min { EditDistance.between($0, lowered) < EditDistance.between($1, lowered) }
        if let guess, !known.contains(lowered), EditDistance.between(guess, lowered) <= 2 {
            throw .usage("unknown scheme “\(scheme)://”: did you mean “\(guess)://”?")
        }
        throw .usage("the scheme “\(scheme)://” is not supported: use http:// or https://")
    }

    /// Reports the mistakes `http:/host`, `http//host` and `http:host`.
    private static func checkSlashes(_ text: String) throws(CommandFailure) {
        for scheme in ["https", "http"] where text.asciiLowercased.starts(withScalars: scheme) {
            let rest = text.droppingScalars(scheme.utf8.count)
            let isSlip =
                rest.starts(withScalars: ":/") || rest.starts(withScalars: "//")
                || (rest.starts(withScalars: ":") && Self.beginsWithHost(rest.droppingScalars(1)))
            if isSlip {
                let host = Substring(rest.unicodeScalars.drop { $0 == ":" || $0 == "/" })
                throw .usage(
                    "the URL lacks “://” after “\(scheme)”: did you mean “\(scheme)://\(Self.redacted(String(host)))”?"
                )
            }
        }
    }

    /// Whether a text begins with a host, and not with a port.
    private static func beginsWithHost(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !first.isASCIILetter else { return !text.isEmpty }
        let authority = text.utf8.prefix { !"/?#".utf8.contains($0) }
        return first.isASCIIDigit && authority.contains { ".:".utf8.contains($0) }
    }

    /// Removes `.` and `..` from the path (RFC 3986 section 5.2.4), as browsers do; the query is unchanged.
    private static func removingDotSegments(_ target: String) -> String {
        let (path, query) = target.split(atScalar: "?").map { ($0.before, "?" + $0.after) } ?? (target[...], "")
        let segments = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(Substring.init)
        func isDot(_ segment: Substring, _ count: Int) -> Bool {
            segment.asciiLowercased.replacing("%2e", with: ".") == String(repeating: ".", count: count)
        }
        var kept: [Substring] = []
        for segment in segments.dropFirst() {
            if isDot(segment, 2) {
                _ = kept.popLast()
            } else if !isDot(segment, 1) {
                kept.append(segment)
            }
        }
        // “/a/.” and “/a/..” end with a slash.
        if let last = segments.last, isDot(last, 1) || isDot(last, 2) { kept.append("") }
        return "/" + kept.joined(separator: "/") + query
    }

    /// Percent-encodes characters that a path or a query cannot contain; existing percent-encoding is unchanged.
    private static func encoded(_ target: String) -> String {
        let bytes = Array(target.utf8)
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if byte.isAllowedInTarget || bytes.byte(ofTripletAt: index) != nil {
                result.append(byte)
            } else {
                result.append(tripletOf: byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether the byte is allowed in a path or a query (RFC 3986 sections 3.3 and 3.4).
    fileprivate var isAllowedInTarget: Bool {
        self.isASCIIAlphanumeric || "-._~!$&'()*+,;=:@/?".utf8.contains(self)
    }
}
