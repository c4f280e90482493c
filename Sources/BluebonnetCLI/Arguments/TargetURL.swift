// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The URL of a command line: shorthands written out, bytes that a URL cannot hold percent-encoded, mistakes explained.
///
/// `:8080/path` and `:/path` are on localhost; without a scheme, http is meant.
struct TargetURL: Equatable, Sendable {
    /// The absolute URL, without user information and fragment.
    var url: URL

    /// What stood before the `@` of the authority, if anything did.
    var userInfo: UserInfo?

    /// A user name and a password, percent-decoded.
    struct UserInfo: Equatable, Sendable {
        var user: String
        var password: String
    }

    /// Reads what a person wrote.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - defaultScheme: The scheme where none is written.
    /// - Throws: `CommandFailure` that says what is wrong with it.
    init(_ text: String, defaultScheme: String = "http") throws(CommandFailure) {
        guard !text.isEmpty else {
            throw .usage("the URL is empty: write for example “bluebonnet localhost:8080/path”")
        }
        if let scalar = text.unicodeScalars.first(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            let code = String(scalar.value, radix: 16, uppercase: true)
            throw .usage("the URL holds a control character (0x\(code)): remove it, or write it percent-encoded")
        }
        let (scheme, rest) = try Self.scheme(of: text, defaultScheme: defaultScheme)
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = try Authority(rest[..<end], in: text)
        self.userInfo = authority.userInfo
        var target = String(rest[end...].prefix { $0 != "#" })
        if !target.hasPrefix("/") { target = "/" + target }
        let whole = "\(scheme)://\(authority.text)\(Self.encoded(target))"
        guard let url = URL(string: whole, encodingInvalidCharacters: false) else {
            throw .usage("“\(text)” is not a URL: write for example “http://localhost:8080/path”")
        }
        self.url = url
    }

    /// Takes the scheme off, writes shorthands out.
    private static func scheme(of text: String, defaultScheme: String) throws(CommandFailure) -> (String, Substring) {
        if let range = text.firstRange(of: "://") {
            let scheme = text[..<range.lowerBound]
            let rest = text[range.upperBound...]
            // “bluebonnet ://example.org” is what remains after pasting a URL over its scheme.
            if scheme.isEmpty { return (defaultScheme, rest) }
            let isSchemeText = scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
            if isSchemeText {
                try Self.checkScheme(scheme)
                return (scheme.lowercased(), rest)
            }
        } else {
            try Self.checkSlashes(text)
        }
        if text.hasPrefix("::") {
            throw .usage("“\(text)” looks like an IPv6 address: write it in brackets, “[\(text)]”")
        }
        if text.hasPrefix(":") {
            let rest = text.dropFirst()
            let isPort = rest.first?.isNumber == true
            return (defaultScheme, isPort ? Substring("localhost" + text) : Substring("localhost" + rest))
        }
        return (defaultScheme, text[...])
    }

    private static func checkScheme(_ scheme: Substring) throws(CommandFailure) {
        let lowered = scheme.lowercased()
        if lowered == "http" || lowered == "https" { return }
        let guess = ["https", "http"].min { EditDistance.between($0, lowered) < EditDistance.between($1, lowered) }
        if let guess, EditDistance.between(guess, lowered) <= 2 {
            throw .usage("unknown scheme “\(scheme)://”: did you mean “\(guess)://”?")
        }
        throw .usage("the scheme “\(scheme)://” is not supported: use http:// or https://")
    }

    /// Finds `http:/host`, `http//host` and `http:host`.
    private static func checkSlashes(_ text: String) throws(CommandFailure) {
        for scheme in ["https", "http"] where text.lowercased().hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            let isSlip =
                rest.hasPrefix(":/") || rest.hasPrefix("//")
                || (rest.hasPrefix(":") && rest.dropFirst().first?.isLetter == true)
            if isSlip {
                let host = rest.drop { $0 == ":" || $0 == "/" }
                throw .usage("“\(text)” lacks “://” after the scheme: did you mean “\(scheme)://\(host)”?")
            }
        }
    }

    /// Percent-encodes what may not stand in a path or a query; what is encoded already stays as it is.
    private static func encoded(_ target: String) -> String {
        let bytes = Array(target.utf8)
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isEscape = byte == UInt8(ascii: "%") && bytes[(index + 1)...].prefix(2).count(where: \.isHexDigit) == 2
            if byte.isAllowedInTarget || isEscape {
                result.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }

    /// The characters of a path or a query (RFC 3986 sections 3.3 and 3.4), and the brackets that many servers want plain.
    fileprivate var isAllowedInTarget: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~!$&'()*+,;=:@/?".utf8.contains(self)
        }
    }
}
