// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Testing

@Suite struct PercentEncodingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let escaped: String
        var testDescription: String { self.escaped }
    }

    @Test(arguments: [
        Case(text: "", escaped: ""),
        Case(text: "ABCxyz019-._~/?", escaped: "ABCxyz019-._~/?"),
        Case(
            text: " :#[]@!$&'()*+,;=/?",
            escaped: "%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"
        ),
        Case(text: "%20", escaped: "%2520"),
        Case(text: "\u{0}\r\n\u{7F}", escaped: "%00%0D%0A%7F"),
        Case(text: "\"<>\\^`{|}", escaped: "%22%3C%3E%5C%5E%60%7B%7C%7D"),
        Case(text: "é", escaped: "%C3%A9"),
        Case(text: "e\u{301}", escaped: "e%CC%81"),
        Case(text: "日本", escaped: "%E6%97%A5%E6%9C%AC"),
        Case(text: "👨‍👩‍👧", escaped: "%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"),
    ])
    func `1.1.2 escapes everything but the allowed set, as UTF-8 in upper-case hex`(_ sample: Case) throws {
        #expect(PercentEncoding.escape(sample.text) == sample.escaped)
        #expect(PercentEncoding.escape(sample.text[...]) == sample.escaped)
        #expect(try PercentEncoding.unescape(sample.escaped) == sample.text)
    }

    @Test(arguments: [49, 50, 51, 1_000, 100_003])
    func `1.1.2 escapes long emoji text without cutting any`(length: Int) throws {
        let text = String(repeating: "x👴🏿👷🏽", count: length)
        let one = PercentEncoding.escape("x👴🏿👷🏽")
        #expect(PercentEncoding.escape(text) == String(repeating: one, count: length))
    }

    @Test func `writes a space as plus on request and a plus as %2B`() throws {
        let escaped = PercentEncoding.escape("c+d e", space: .plus)
        #expect(escaped == "c%2Bd+e")
        #expect(try PercentEncoding.unescape(escaped, plusIsSpace: true) == "c+d e")
        #expect(try PercentEncoding.unescape("a+b") == "a+b")
    }

    @Test(.bug(id: "F428")) func `with a space as plus a plus is %2B, even if it is allowed`() throws {
        let allowed = PercentEncoding.AllowedBytes.query.union(.init("+,:"))
        #expect(PercentEncoding.escape("+49 30,1", allowed: allowed, space: .plus) == "%2B49+30,1")
        #expect(PercentEncoding.escape("+49 30,1", allowed: allowed) == "+49%2030,1")
    }

    @Test func `takes another allowed set`() {
        let strict = PercentEncoding.AllowedBytes.query.subtracting(.init("?/"))
        #expect(PercentEncoding.escape("a?/b", allowed: strict) == "a%3F%2Fb")
        #expect(PercentEncoding.escape("a b%[é]", allowed: .init(" %[]é")) == "%61%20%62%25[%C3%A9]")
    }

    @Test(arguments: ["%", "a%", "%4", "%4G", "%%41", "%G1", "%FF", "%C3", "%ED%A0%80", "%C0%AF"])
    func `refuses what is no escape`(_ text: String) {
        let error = #expect(throws: SerializationError.self) { try PercentEncoding.unescape(text) }
        #expect(error?.code == .malformedEscape)
    }

    @Test func `reads lower-case digits`() throws {
        #expect(try PercentEncoding.unescape("%e2%82%ac") == "€")
    }

    @Test func `unescape undoes escape for every scalar value of the basic plane and a few beyond`() throws {
        var text = ""
        for value in UInt32(0)...0x1_1000 {
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        #expect(try PercentEncoding.unescape(PercentEncoding.escape(text)) == text)
        #expect(try PercentEncoding.unescape(PercentEncoding.escape(text, space: .plus), plusIsSpace: true) == text)
    }

    @Test func `unescape undoes escape for random text and random sets`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let scalars = (0..<Int.random(in: 0...40, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...(Bool.random() ? 0x7F : 0x10FFFF), using: &generator))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let set = PercentEncoding.AllowedBytes(
                String(String.UnicodeScalarView((0..<20).map { _ in Unicode.Scalar(UInt8.random(in: 0...127)) }))
            )
            #expect(try PercentEncoding.unescape(PercentEncoding.escape(text, allowed: set)) == text)
            let form = PercentEncoding.escape(text, allowed: set, space: .plus)
            #expect(try PercentEncoding.unescape(form, plusIsSpace: true) == text)
        }
    }
}
