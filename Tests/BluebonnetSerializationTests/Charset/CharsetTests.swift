// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct CharsetTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let charset: Charset
        let bytes: [UInt8]
        let text: String
        /// Bytes that this encoding does not have.
        let invalid: [UInt8]
        var testDescription: String { self.charset.name }

        init(_ charset: Charset, _ bytes: [UInt8], _ text: String, invalid: [UInt8]) {
            self.charset = charset
            self.bytes = bytes
            self.text = text
            self.invalid = invalid
        }
    }

    static let samples: [Sample] = [
        Sample(.windows1251, [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2, 0x20, 0x88], "Привет €", invalid: []),
        Sample(.koi8R, [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "Привет", invalid: []),
        Sample(.koi8U, [0xA4, 0xA6, 0xA7], "єії", invalid: []),
        Sample(.ibm866, [0x8F, 0xE0, 0xA8], "При", invalid: []),
        Sample(.macintosh, [0x43, 0x61, 0x66, 0x8E, 0xDB, 0xF0, 0xFF], "Café€\u{F8FF}ˇ", invalid: []),
        Sample(.macCyrillic, [0x80, 0xA2, 0xDF, 0xFF], "АҐя€", invalid: []),
        Sample(.iso8859Part2, [0xA3, 0xF3, 0x64, 0xBC], "Łódź", invalid: []),
        Sample(.iso8859Part7, [0xC1, 0xE2, 0xE3], "Αβγ", invalid: [0xD2]),
        Sample(.iso8859Part15, [0xA4], "€", invalid: []),
        Sample(.windows1250, [0x8A, 0xE8], "Šč", invalid: []),
        Sample(.windows1253, [0xC1, 0xE2], "Αβ", invalid: [0xFF]),
        Sample(.windows1254, [0xDD, 0xFE], "İş", invalid: []),
        Sample(.windows1255, [0xF9, 0xEC, 0xE5, 0xED], "שלום", invalid: [0xFF]),
        Sample(.windows1256, [0xC7, 0xE1], "ال", invalid: []),
        Sample(.windows874, [0xA1, 0xE0], "กเ", invalid: [0xFF]),
        Sample(.shiftJIS, [0x93, 0xFA, 0x96, 0x7B, 0x5C, 0xB1, 0x87, 0x40], "日本\\ｱ①", invalid: [0x81]),
        Sample(.eucJP, [0xC6, 0xFC, 0xCB, 0xDC, 0x8E, 0xB1], "日本ｱ", invalid: [0xC6]),
        Sample(.iso2022JP, [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42, 0x61], "日本a", invalid: [0x80]),
        Sample(.gbk, [0xD6, 0xD0, 0xCE, 0xC4], "中文", invalid: [0xD6]),
        Sample(.gb18030, [0xD6, 0xD0, 0x94, 0x39, 0xFC, 0x36], "中😀", invalid: [0x94, 0x39, 0xFC]),
        Sample(.big5, [0xA4, 0xA4, 0xA4, 0xE5], "中文", invalid: [0xA4]),
        Sample(.eucKR, [0xC7, 0xD1, 0xB1, 0xDB], "한글", invalid: [0xC7]),
    ]

    @Test(arguments: Self.samples) func `text is decoded, and invalid bytes are an error`(_ sample: Sample) {
        #expect(sample.charset.isAvailable)
        #expect(sample.charset.decode(Data(sample.bytes)) == sample.text)
        #expect(sample.charset.decode(Data()) == "")
        guard !sample.invalid.isEmpty else { return }
        #expect(sample.charset.decode(Data(sample.invalid)) == nil)
        #expect(sample.charset.decode(Data(sample.bytes + sample.invalid)) == nil)
    }

    @Test(arguments: Self.samples) func `text of any length is decoded whole`(_ sample: Sample) {
        // More than the converter's buffer holds, so that a character falls onto its end.
        for count in [5_000, 5_461, 8_192] {
            var bytes = Data()
            for _ in 0..<count { bytes.append(contentsOf: sample.bytes) }
            let text = sample.charset.decode(bytes)
            #expect(text?.utf8.count == sample.text.utf8.count * count)
            #expect(text?.hasSuffix(sample.text) == true)
        }
    }

    @Test(
        arguments: [
            ("sjis", .shiftJIS), ("x-sjis", .shiftJIS), ("Windows-31J", .shiftJIS), ("gb2312", .gbk),
            ("x-x-big5", .big5),
            ("ks_c_5601-1987", .eucKR), ("cp1251", .windows1251), ("koi8", .koi8R), ("latin2", .iso8859Part2),
            ("iso-8859-9", .windows1254), ("tis-620", .windows874), ("logical", .iso8859Part8), (" utf8\t", .utf8),
            ("latin1", .iso8859Part1), ("x-mac-roman", .macintosh), ("x-mac-ukrainian", .macCyrillic),
            ("ascii", .ascii), ("utf-7", nil), ("", nil), ("\u{212A}oi8-r", nil),
            ("utf 8", nil),
        ] as [(String, Charset?)]
    )
    func `labels are those of the Encoding standard, in any ASCII case`(_ label: String, _ charset: Charset?) {
        #expect(Charset(named: label) == charset)
        #expect(Charset(named: label.uppercased()) == (label.utf8.allSatisfy { $0 < 0x80 } ? charset : nil))
    }

    @Test(arguments: Charset.allCases) func `every encoding is available here and found by its name`(_ charset: Charset)
    {
        #expect(charset.isAvailable)
        #expect(Charset(named: charset.name) == charset)
        #expect(Charset(named: charset.name.lowercased()) == charset)
    }

    @Test func `a body in such an encoding is text or an error`() throws {
        for sample in Self.samples {
            let type = "text/plain; charset=\"\(sample.charset.name)\""
            #expect(try StringResponseSerializer().serialize(.stub(Data(sample.bytes), type: type)) == sample.text)
            guard !sample.invalid.isEmpty else { continue }
            #expect(throws: SerializationError(.malformedBody, reason: "")) {
                try StringResponseSerializer().serialize(.stub(Data(sample.invalid), type: type))
            }
        }
    }
}
