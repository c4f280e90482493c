// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Text in ASCII: letters with marks lose them, Greek and Cyrillic letters become Latin ones, everything else is dropped.
///
/// The tables hold what names of programs and systems are likely to hold. Scripts without an alphabet are dropped, not romanised.
enum Transliteration {
    static func ascii(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else if let replacement = Self.table[scalar] {
                result += replacement
            }
        }
        return result
    }

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
        table["\u{2019}"] = "'"
        table["\u{2018}"] = "'"
        table["\u{201C}"] = "\""
        table["\u{201D}"] = "\""
        table["\u{2013}"] = "-"
        table["\u{2014}"] = "-"
        table["\u{00A0}"] = " "
        return table
    }()

    /// What letters become; capital letters follow from the small ones.
    private static let rows = """
        a àáâãäåāăąǎаяα
        ae æ
        b бβ
        c çćĉċčцч
        d ďđðдδ
        e èéêëēĕėęěеёэєηε
        f фφ
        g ĝğġģгґγ
        h ĥħхχ
        i ìíîïĩīĭįıиіїι
        j ĵйј
        k ķкκ
        l ĺļľŀłлλ
        lj љ
        m мμ
        n ñńņňŋнν
        nj њ
        o òóôõöøōŏőǒоοω
        oe œ
        p пπ
        ps ψ
        r ŕŗřрρ
        s śŝşšșсшщσς
        ss ß
        t ţťŧțтτ
        th þθ
        u ùúûüũūŭůűųǔую
        v в
        w ŵ
        x ξ
        y ýÿŷыυ
        z źżžзжζ
        """
}
