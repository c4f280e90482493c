// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

/// Sequences that browsers decode, and the C library refuses or decodes otherwise.
@Suite struct CharsetCorrectionTests {
    @Test(
        .bug(id: "F760"),
        arguments: [
            ([0xA1, 0xFE], "／"), ([0xA2, 0x40], "＼"), ([0xA1, 0xC3], "￣"), ([0xA1, 0xC5], "ˍ"), ([0xA1, 0x5A], "╴"),
            ([0xA2, 0xCC], "十"), ([0xA2, 0xCE], "卅"), ([0xA3, 0xE1], "€"), ([0xA1, 0x45], "‧"), ([0xA2, 0x41], "∕"),
            // A character that may be the base of a combination stays in front.
            ([0x88, 0x66, 0xA1, 0xFE], "Ê／"),
        ] as [([UInt8], String)]
    )
    func `symbols of Big5 are those of browsers`(_ bytes: [UInt8], _ text: String) {
        #expect(Charset.big5.decode(Data(bytes)) == text)
        let date: [UInt8] = [0xA4, 0xE9, 0xB4, 0xC1, 0x20, 0x32]
        #expect(Charset.big5.decode(Data(date + bytes + [0x30])) == "日期 2\(text)0")
        #expect(Charset.big5.decode(Data(bytes + [0xA1])) == nil)
    }

    @Test(
        .bug(id: "F761"),
        arguments: [
            ([0x1B, 0x28, 0x49, 0x31, 0x1B, 0x28, 0x42], "ｱ"), ([0x1B, 0x24, 0x28, 0x44, 0x22, 0x2F], nil),
            ([0x1B, 0x28, 0x5A, 0x61], nil), ([0x61, 0x1B, 0x5B, 0x33, 0x31, 0x6D], nil),
        ] as [([UInt8], String?)]
    )
    func `an escape sequence of ISO-2022-JP is understood, or an error`(_ bytes: [UInt8], _ text: String?) {
        #expect(Charset.iso2022JP.decode(Data(bytes)) == text)
    }

    @Test(.bug(id: "F762"), arguments: [Charset.gbk, .gb18030])
    func `the byte 0x80 is the euro sign of Chinese text`(_ charset: Charset) {
        #expect(charset.decode(Data([0x80, 0xD6, 0xD0, 0x80, 0x35])) == "€中€5")
        // As a trail byte it belongs to its character.
        #expect(charset.decode(Data([0xD6, 0x80])) == "謤")
        #expect(charset.decode(Data([0xFF])) == nil)
    }

    @Test(
        .bug(id: "F762"),
        arguments: [
            (.windows874, 0x9F), (.windows1250, 0x81), (.windows1251, 0x98), (.windows1253, 0x8E), (.windows1254, 0x90),
            (.windows1255, 0x9A), (.windows1257, 0x83), (.windows1258, 0x9E),
        ] as [(Charset, UInt8)]
    )
    func `undefined bytes of Windows are control characters`(_ charset: Charset, _ byte: UInt8) {
        #expect(charset.decode(Data([0x61, byte, 0x62])) == "a\(Unicode.Scalar(byte))b")
    }

    @Test(
        .bug(id: "F763"),
        arguments: [
            ([0xF9, 0xA1], "纊"), ([0xF9, 0xFE], "德"), ([0xFA, 0xA1], "忞"), ([0xFB, 0xA1], "犾"), ([0xFC, 0xE2], "髙"),
            ([0xFC, 0xF1], "ⅰ"), ([0xFC, 0xFE], "＂"), ([0xF5, 0xA1], "\u{E000}"), ([0xFD, 0xA1], "\u{E2F0}"),
        ] as [([UInt8], String)]
    )
    func `the rows of NEC in EUC-JP are characters of names`(_ bytes: [UInt8], _ text: String) {
        #expect(Charset.eucJP.decode(Data(bytes)) == text)
        #expect(Charset.eucJP.decode(Data([0x61, 0xC6, 0xFC] + bytes + [0x62])) == "a日\(text)b")
    }
}
