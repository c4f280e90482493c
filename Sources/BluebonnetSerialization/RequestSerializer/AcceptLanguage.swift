// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The user's preferred languages from the environment, as an Accept-Language field (RFC 9110 section 12.5.4).
enum AcceptLanguage {
    /// Returns the field value: up to six languages with decreasing weights, `de-AT;q=1, de;q=0.9`; nil if the
    /// environment names none.
    ///
    /// `LANGUAGE` is a list in order of preference and is used only if a locale is set (GNU gettext). The locale is the
    /// first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty.
    static func value(environment: [String: String]) -> String? {
        let locale =
            ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
            .compactMap { environment[$0] }
            .first { !$0.isEmpty }
        guard let locale, let localeTag = Self.tag(of: locale.utf8[...]) else { return nil }
        var tags: [String] = []
        let listed = (environment["LANGUAGE"] ?? "").utf8.split(separator: UInt8(ascii: ":")).compactMap {
            Self.tag(of: $0)
        }
        for tag in listed.isEmpty ? [localeTag] : listed where !tags.contains(tag) { tags.append(tag) }
        return zip(tags, ["1", "0.9", "0.8", "0.7", "0.6", "0.5"])
            .map { "\($0);q=\($1)" }
            .joined(separator: ", ")
    }

    /// Returns the language tag of a POSIX locale name, `sr_RS.UTF-8@latin` to `sr-Latn-RS`; nil for `C`, `POSIX` and
    /// invalid names.
    private static func tag(of locale: Substring.UTF8View) -> String? {
        let withoutModifier = locale.prefix { $0 != UInt8(ascii: "@") }
        let modifier = locale.dropFirst(withoutModifier.count + 1)
        let name = withoutModifier.prefix { $0 != UInt8(ascii: ".") }
        var subtags = name.split { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }.map { String(Substring($0)) }
        guard let language = subtags.first, (2...8).contains(language.utf8.count),
            !language.utf8.elementsEqual("POSIX".utf8),
            language.utf8.allSatisfy(\.isASCIILetter),
            subtags.allSatisfy({ Self.isSubtag($0) })
        else { return nil }
        subtags[0] = language.asciiLowercased
        if modifier.elementsEqual("latin".utf8) { subtags.insert("Latn", at: 1) }
        if modifier.elementsEqual("cyrillic".utf8) { subtags.insert("Cyrl", at: 1) }
        return subtags.joined(separator: "-")
    }

    private static func isSubtag(_ text: String) -> Bool {
        (1...8).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIAlphanumeric)
    }
}
