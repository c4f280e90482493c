// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Testing

/// Numbers in ASCII digits, and hexadecimal digits.
@Suite struct ASCIIDigitsTests {
    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("255", 255), ("0000000255", 255), ("256", nil), ("2550", nil), ("", nil),
            ("+1", nil),
            ("-1", nil), ("1 ", nil), ("1a", nil), ("٣", nil), ("/", nil), (":", nil),
        ] as [(String, UInt8?)]
    )
    func `a decimal number consists of digits, and fits`(_ text: String, _ expected: UInt8?) {
        #expect(text.utf8.decimalNumber() == expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("99", 99), ("100", 100), ("101", 100), ("99999999999999999999999999", 100), ("999x", nil),
            ("", nil), ("-1", nil),
        ] as [(String, Int64?)]
    )
    func `a decimal number is reduced to a limit`(_ text: String, _ expected: Int64?) {
        #expect(text.utf8.decimalNumber(clampedTo: 100) == expected)
    }

    @Test func `the largest numbers are parsed without overflow`() {
        let text = String(Int64.max)
        #expect(text.utf8.decimalNumber(as: Int64.self) == .max)
        #expect((text + "0").utf8.decimalNumber(as: Int64.self) == nil)
        #expect((text + "00").utf8.decimalNumber(clampedTo: Int64.max) == .max)
    }

    @Test func `bytes are digits and letters as in ASCII`() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            #expect(byte.isASCIIDigit == ("0"..."9" as ClosedRange<Unicode.Scalar>).contains(Unicode.Scalar(byte)))
            #expect(byte.isASCIILetter == (character.isASCII && character.isLetter))
            #expect(byte.isASCIIAlphanumeric == (byte.isASCIIDigit || byte.isASCIILetter))
            #expect(byte.hexadecimalValue.map { Int($0) } == character.hexDigitValue)
        }
    }

    @Test(
        arguments: [("", []), ("00fF1a", [0, 255, 26]), ("0", nil), ("0g", nil), ("000", nil)] as [(String, [UInt8]?)]
    )
    func `hexadecimal bytes are pairs of digits`(_ text: String, _ expected: [UInt8]?) {
        #expect(Hexadecimal.bytes(text.utf8) == expected)
        if let expected { #expect(Hexadecimal.text(expected) == text.asciiLowercased) }
    }

    @Test func `a hexadecimal number has all its digits`() {
        #expect(Hexadecimal.text(0xA0 as UInt32) == "000000a0")
        #expect(Hexadecimal.text(UInt64.max) == "ffffffffffffffff")
    }

    @Test func `a triplet is decoded where there is one`() {
        let bytes = Array("%2f%2F+%2%zz%".utf8)
        #expect(String(decoding: PercentDecoding.decodeLeniently(bytes), as: UTF8.self) == "//+%2%zz%")
        let spaced = PercentDecoding.decodeLeniently(bytes, plusIsSpace: true)
        #expect(String(decoding: spaced, as: UTF8.self) == "// %2%zz%")
        var encoded: [UInt8] = []
        encoded.append(tripletOf: 0xAF)
        #expect(encoded == Array("%AF".utf8))
    }
}
