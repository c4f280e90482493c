// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Transliterates text to ASCII.
///
/// Latin letters lose their diacritics. Greek, Cyrillic, Hebrew, Arabic, Japanese kana and Korean become Latin letters.
/// All other characters are dropped, including Chinese ones, whose readings would need a table of megabytes.
enum Transliteration {
    static func ascii(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                result += Self.table[scalar] ?? Self.syllable(scalar) ?? Self.letter(scalar) ?? ""
            }
        }
        return result
    }

    /// Returns a letter from its Unicode name, for example `LATIN SMALL LETTER E WITH CIRCUMFLEX AND ACUTE`.
    private static func letter(_ scalar: Unicode.Scalar) -> String? {
        guard let name = scalar.properties.name else { return nil }
        var words = name.split(separator: " ").prefix { $0 != "WITH" }
        if words.first == "FULLWIDTH" { words.removeFirst() }
        guard words.count >= 3, let script = words.first, let letter = words.last else { return nil }
        let isCapital = words.contains("CAPITAL")
        let text: String? =
            switch script {
            case "LATIN": letter.utf8.count <= 2 ? letter.lowercased() : nil
            case "HIRAGANA", "KATAKANA": letter.utf8.count <= 3 ? letter.lowercased() : nil
            case "GREEK": Self.greek[letter]
            case "HEBREW": Self.hebrew[letter]
            case "ARABIC": Self.arabic[words.dropFirst(2).joined(separator: " ")[...]]
            default: nil
            }
        guard isCapital, let text else { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    /// Returns a Korean syllable: a leading consonant, a vowel and optionally a trailing consonant (Unicode section
    /// 3.12).
    private static func syllable(_ scalar: Unicode.Scalar) -> String? {
        guard (0xAC00...0xD7A3).contains(scalar.value) else { return nil }
        let index = Int(scalar.value - 0xAC00)
        return Self.leading[index / 588] + Self.vowels[index % 588 / 28] + Self.trailing[index % 28]
    }

    private static let leading = Self.list("g kk n d tt r m b pp s ss - j jj ch k t p h")
    private static let vowels = Self.list("a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i")
    private static let trailing = Self.list("- g kk gs n nj nh d l lg lm lb ls lt lp lh m b bs s ss ng j ch k t p h")

    /// Returns a list of words, in which a hyphen is an empty word.
    private static func list(_ words: String) -> [String] {
        words.split(separator: " ").map { $0 == "-" ? "" : String($0) }
    }

    private static let greek = Self.names(
        """
        ALPHA a BETA b GAMMA g DELTA d EPSILON e ZETA z ETA e THETA th IOTA i KAPPA k LAMDA l LAMBDA l MU m NU n XI x OMICRON o
        PI p RHO r SIGMA s TAU t UPSILON u PHI f CHI h PSI ps OMEGA o
        """
    )

    private static let hebrew = Self.names(
        """
        ALEF ' BET b GIMEL g DALET d HE h VAV w ZAYIN z HET h TET t YOD y KAF k LAMED l MEM m NUN n SAMEKH s AYIN ' PE p TSADI z
        QOF q RESH r SHIN s TAV t
        """
    )

    private static let arabic = Self.names(
        """
        HAMZA ' ALEF a BEH b TEH_MARBUTA h TEH t THEH th JEEM j HAH h KHAH kh DAL d THAL dh REH r ZAIN z SEEN s SHEEN sh SAD s DAD d
        TAH t ZAH z AIN ' GHAIN gh FEH f QAF q KAF k LAM l MEEM m NOON n HEH h WAW w ALEF_MAKSURA a YEH y PEH p TCHEH ch JEH zh
        GAF g FARSI_YEH y KEHEH k
        """
    )

    /// Returns pairs of a letter's name and its transliteration.
    private static func names(_ pairs: String) -> [Substring: String] {
        let words = pairs.split { $0 == " " || $0 == "\n" }
        var names: [Substring: String] = [:]
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            names[words[index].replacing("_", with: " ")[...]] = String(words[index + 1])
        }
        return names
    }

    /// Characters that cannot be derived from their names.
    private static let table: [Unicode.Scalar: String] = {
        var table: [Unicode.Scalar: String] = [:]
        for line in Self.rows.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { continue }
            for scalar in words[1].unicodeScalars where scalar != " " {
                table[scalar] = String(words[0])
                let upper = scalar.properties.uppercaseMapping.unicodeScalars
                guard let first = upper.first, upper.count == 1, first != scalar else { continue }
                table[first] = words[0].prefix(1).uppercased() + words[0].dropFirst()
            }
        }
        for (scalar, text) in [
            ("\u{2019}", "'"), ("\u{2018}", "'"), ("\u{201C}", "\""), ("\u{201D}", "\""), ("\u{2013}", "-"),
            ("\u{2014}", "-"), ("\u{00A0}", " "), ("\u{2026}", "..."), ("\u{1E9E}", "SS"),
        ] as [(Unicode.Scalar, String)] {
            table[scalar] = text
        }
        return table
    }()

    /// The transliteration of Cyrillic letters and a few Latin ones; capital letters are derived from the small ones.
    private static let rows = """
        a ая
        ae æ
        b б
        c цчћ
        d дđðђ
        dz џ
        e еёэє
        f фﬀ
        fi ﬁ
        fl ﬂ
        g гґѓ
        h хħ
        i иіїѝı
        j йј
        k кќ
        l лł
        lj љ
        m м
        n нŋŉ
        nj њ
        o оø
        oe œ
        p п
        r р
        s сшщς
        ss ß
        t тŧ
        th þ
        u уўю
        v в
        y ы
        z зж
        """
}
