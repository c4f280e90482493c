// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Which values a printed request hides.
public struct Redaction: Sendable, Hashable {
    /// The replacement of a hidden value.
    package static let mark = "REDACTED"

    private enum Kind {
        case nothing, secrets
    }

    private let kind: Kind

    /// Hides nothing.
    public static let none = Redaction(kind: .nothing)

    /// Hides user information, and the values of header fields, query items, form fields and JSON members with secret
    /// names.
    ///
    /// Regardless of case and of any `-` or `_` between the letters, a name is secret
    /// - if it contains `authorization`, `token`, `secret`, `password`, `passwd`, `passphrase`, `cookie`, `credential`, `signature`, `session`,
    ///   `apikey`, `privatekey`, `subscriptionkey` or `jwt`, or ends with `pwd`;
    /// - if it is `assertion`, `client_assertion`, `SAMLResponse`, `code_verifier`, `device_code`, `otp` or `totp`;
    /// - in a query or a form also if it is `pin`, `pass` or `sig`, and if it is `code` beside another parameter of OAuth, such as `state`.
    ///
    /// A JSON member keeps the type of its value where it can, so that the document still decodes: a number becomes 0,
    /// unless the name ends with `tokens` or `count`; `null`, `true` and `false` stay; the elements of an array and the
    /// members of an object are replaced one by one. An object whose keys may be secrets themselves, because they have
    /// other characters than ASCII letters, `-` and `_`, is replaced as a whole.
    public static let secrets = Redaction(kind: .secrets)

    /// Whether anything is hidden.
    package var isActive: Bool { self.kind == .secrets }

    /// Whether the value of a name is hidden.
    ///
    /// - Parameter name: The name of a header field, a query item, a form field or a JSON member.
    /// - Returns: Whether it is hidden.
    public func hides(_ name: String) -> Bool {
        guard self.isActive else { return false }
        return Self.isSecret(Self.letters(of: name))
    }
}

extension Redaction {
    /// Returns a URL without user information and secret query values.
    package func url(_ url: String) -> String {
        guard self.isActive else { return url }
        let beforeFragment = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let mark = url.utf8[..<beforeFragment].firstIndex(of: UInt8(ascii: "?")) ?? beforeFragment
        var result = self.withoutUserInfo(url[..<mark])
        if mark < beforeFragment {
            result += "?" + self.pairs(url[url.utf8.index(after: mark)..<beforeFragment])
        }
        return result + self.fragment(url[beforeFragment...])
    }

    /// Returns a fragment, including `#`: it may contain pairs, or the route of an application with a query.
    private func fragment(_ text: Substring) -> String {
        guard !text.isEmpty else { return "" }
        let start = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.startIndex
        let pairs = text.utf8.index(after: start)
        return "\(text[..<pairs])\(self.pairs(text[pairs...]))"
    }

    /// Returns the pairs of a query or a form without secret values.
    package func pairs(_ text: Substring) -> String {
        guard self.isActive else { return String(text) }
        let pairs = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
            (pair: pair, equals: pair.firstIndex(of: UInt8(ascii: "=")))
        }
        let names = pairs.map { pair, equals in
            Self.letters(of: Self.name(Substring(pair[..<(equals ?? pair.endIndex)])))
        }
        let isOAuth = names.contains(where: Self.isOfOAuth)
        return zip(pairs, names).map { entry, name in
            guard let equals = entry.equals, Self.isSecret(name) || Self.isSecretInForm(name, isOAuth: isOAuth) else {
                return String(Substring(entry.pair))
            }
            return "\(Substring(entry.pair[..<equals]))=\(Self.mark)"
        }.joined(separator: "&")
    }

    /// Returns a JSON text without secret members; nil if it is malformed.
    ///
    /// A text without secrets keeps its own bytes, unless a name occurs twice in an object: the parsed document
    /// contains only the last value, and another one may be secret.
    package func json(_ text: Data) -> Data? {
        guard let document = try? JSONParser().parse(text) else { return nil }
        // A single value has no names.
        guard document.object != nil || document.array != nil else { return text }
        let hidden = self.json(document)
        return hidden == document && JSONKeyScan.isFreeOfRepeatedKeys(text) ? text : JSONWriter().write(hidden)
    }

    /// Returns a document without secret members.
    private func json(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            let members = object.map { member in
                (
                    key: member.key,
                    value: self.hides(member.key) ? Self.hidden(member.value, of: member.key) : self.json(member.value)
                )
            }
            return .object(JSONObject(members))
        case .array(let elements): return .array(elements.map(self.json))
        case .null, .bool, .number, .string: return value
        }
    }

    /// Returns the replacement of a value with a secret name, of the same type if that is possible.
    private static func hidden(_ value: JSONValue, of name: String) -> JSONValue {
        switch value {
        case .null, .bool: value
        case .number: self.isCount(self.letters(of: name)) ? value : 0
        case .array(let elements): .array(elements.map { self.hidden($0, of: name) })
        case .object(let object) where object.allSatisfy({ self.isOrdinary(key: $0.key) }):
            .object(JSONObject(object.map { (key: $0.key, value: self.hidden($0.value, of: $0.key)) }))
        case .string, .object: .string(self.mark)
        }
    }

    /// Returns the decoded name of a pair; unchanged if its escapes are invalid.
    private static func name(_ text: Substring) -> String {
        (try? PercentEncoding.unescape(text, plusIsSpace: true)) ?? String(text)
    }

    private func withoutUserInfo(_ text: Substring) -> String {
        guard let slashes = Self.authorityStart(of: text) else { return String(text) }
        let end = text[slashes...].utf8.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        guard let at = text[slashes..<end].utf8.lastIndex(of: UInt8(ascii: "@")) else { return String(text) }
        return "\(text[..<slashes])\(Self.mark)\(text[at...])"
    }

    /// Returns the start of the authority: after `://`, or after the `//` of a reference without a scheme (RFC 3986
    /// section 4.2).
    private static func authorityStart(of text: Substring) -> String.Index? {
        if text.utf8.starts(with: "//".utf8) { return text.utf8.index(text.startIndex, offsetBy: 2) }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = text[text.utf8.index(after: colon)...]
        guard rest.utf8.starts(with: "//".utf8) else { return nil }
        return rest.utf8.index(rest.startIndex, offsetBy: 2)
    }
}
