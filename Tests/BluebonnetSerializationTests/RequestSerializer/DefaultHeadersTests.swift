// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import BluebonnetSerialization

@Suite struct DefaultHeadersTests {
    @Test(
        arguments: [
            (["LANG": "de_AT.UTF-8"], "de-AT;q=1"),
            (["LANG": "C", "LC_ALL": "fr_FR"], "fr-FR;q=1"),
            (["LANG": "en_US", "LC_MESSAGES": "pt_BR.UTF-8", "LC_ALL": ""], "pt-BR;q=1"),
            (["LANG": "en_US", "LANGUAGE": "de_AT:de:en"], "de-AT;q=1, de;q=0.9, en;q=0.8"),
            (["LANG": "en_US", "LANGUAGE": "a:b:::C:de"], "de;q=1"),
            (["LANG": "en_US", "LANGUAGE": "de:de:en"], "de;q=1, en;q=0.9"),
            (
                ["LANG": "en_US", "LANGUAGE": "aa:bb:cc:dd:ee:ff:gg:hh"],
                "aa;q=1, bb;q=0.9, cc;q=0.8, dd;q=0.7, ee;q=0.6, ff;q=0.5"
            ),
            (["LANG": "sr_RS.UTF-8@latin"], "sr-Latn-RS;q=1"),
            (["LANG": "ca_ES@valencia"], "ca-ES;q=1"),
            (["LANG": "en_US", "LANGUAGE": "zh-Hant-TW"], "zh-Hant-TW;q=1"),
        ] as [([String: String], String)]
    )
    func `1.1.5 the languages come from the environment, with weights down to 0.5`(
        _ environment: [String: String],
        _ expected: String
    ) {
        #expect(AcceptLanguage.value(environment: environment) == expected)
    }

    @Test(
        arguments: [
            [:], ["LANG": ""], ["LANG": "C"], ["LANG": "POSIX"], ["LANG": "C.UTF-8"], ["LANG": "C", "LANGUAGE": "de"],
            ["LANG": "de\r\nX-Evil: 1"], ["LANG": "日本"], ["LANG": "x"], ["LANG": "toolonglanguage"],
            ["LANG": "de_AT,en;q=1"],
            ["LANG": "@"], ["LANG": "."], ["LANG": "_"],
        ] as [[String: String]]
    )
    func `1.1.5 without a language there is no header`(_ environment: [String: String]) {
        #expect(AcceptLanguage.value(environment: environment) == nil)
        #expect(HTTPRequestSerializer.standardHeaders(environment: environment)[.acceptLanguage] == nil)
    }

    @Test(arguments: [
        ("App", "1.2", "Linux; Debian GNU/Linux 12 (bookworm)", "App/1.2 (Linux; Debian GNU/Linux 12 bookworm)"),
        ("Приложение", "1", "x", "Prilozenie/1 (x)"),
        ("日本", "1", "日本 café", "unknown/1 ( cafe)"),
        ("My App\r\nX: y", "1 2", "a)b\\(c\r\nd\u{0}", "My-App--X--y/1-2 (abcd)"),
        ("", "", "", "unknown/unknown ()"),
        ("Ærøskøbing Øl Łódź Straße ÑANDÚ", "1", "“q”", "Aeroskobing-Ol-Lodz-Strasse-NANDU/1 (\"q\")"),
    ])
    func `1.1.5 the user agent is ASCII and cannot break out`(
        _ name: String,
        _ version: String,
        _ system: String,
        _ expected: String
    ) {
        #expect(UserAgent.value(name: name, version: version, system: system) == expected)
    }

    @Test func `1.1.5 every serializer starts with a user agent`() throws {
        let value = try #require(HTTPRequestSerializer().value(forHeader: "User-Agent"))
        #expect(value.wholeMatch(of: /[!-~]+\/[!-~]+ \([ -~]+\)/) != nil)
        #expect(JSONRequestSerializer().value(forHeader: "User-Agent") == value)
        #expect(PropertyListRequestSerializer().value(forHeader: "User-Agent") == value)
    }

    @Test func `1.1.5 the user agent's name and version can be set`() throws {
        var http = HTTPRequestSerializer(defaultHeaders: [.userAgent: "old"])
        http.setUserAgent(name: "Blåbær App", version: "2.1")
        let value = try #require(http.value(forHeader: "User-Agent"))
        #expect(value.hasPrefix("Blabaer-App/2.1 ("))
        #expect(value.hasSuffix(")"))
        var json = JSONRequestSerializer(base: http)
        json.setUserAgent(name: "n", version: "")
        #expect(json.value(forHeader: "User-Agent")?.hasPrefix("n/unknown (") == true)
    }

    @Test(arguments: [
        ("café", "cafe"), ("cafe\u{301}", "cafe"), ("Tiếng Việt Đặng", "Tieng Viet Dang"),
        ("Ελλάδα Ώρα ΨΥΧΉ", "Ellada Ora PsUHE"), ("Щука Ёлка їжак Ѓорѓи", "Suka Elka izak Gorgi"),
        ("שלום", "slwm"), ("مرحبا", "mrhba"), ("한글 서울", "hangeul seoul"), ("ひらがな カタカナ", "hiragana katakana"),
        ("İıŸÿ ﬁ ß ẞ Æ œ þ Ł ŉ", "IiYy fi ss SS Ae oe th L n"), ("ＡＢｃ", "ABc"),
        ("“q” ‘q’ – … a\u{A0}b", "\"q\" 'q' - ... a b"),
        ("日本語 中文 😀 ไทย", "   "), ("plain ~ text", "plain ~ text"), ("", ""),
    ])
    func `1.1.5 letters of many scripts become ASCII, and other characters are dropped`(
        _ text: String,
        _ expected: String
    ) {
        #expect(Transliteration.ascii(text) == expected)
    }

    @Test func `1.1.5 transliteration gives ASCII for every character there is`() {
        for value in UInt32(0)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = Transliteration.ascii(String(Character(scalar)))
            if !text.utf8.allSatisfy({ $0 < 0x80 }) { Issue.record("U+\(String(value, radix: 16)) becomes \(text)") }
        }
    }
}
