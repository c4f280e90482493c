// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTesting

struct FormScannerTests {
    struct Case: CustomTestStringConvertible {
        var text: String
        var fields: [[String]]
        var testDescription: String { self.text }
    }

    @Test(arguments: [
        Case(text: "", fields: []),
        Case(text: "&&", fields: []),
        Case(text: "a=1&b=2", fields: [["a", "1"], ["b", "2"]]),
        Case(text: "a", fields: [["a", ""]]),
        Case(text: "=", fields: [["", ""]]),
        Case(text: "a=b=c&d=", fields: [["a", "b=c"], ["d", ""]]),
        Case(text: "a+b=%20c%2Bd", fields: [["a b", " c+d"]]),
        Case(text: "x%5B%5D=%C3%A9&x%5b%5d=%F0%9F%8C%B8", fields: [["x[]", "é"], ["x[]", "🌸"]]),
        Case(text: "bad=%zz%4&%", fields: [["bad", "%zz%4"], ["%", ""]]),
    ])
    func `finds the same fields however the form is cut`(example: Case) {
        let bytes = Array(example.text.utf8)
        for cut in 0...bytes.count {
            var scanner = FormScanner()
            scanner.receive(bytes[..<cut])
            scanner.receive(bytes[cut...])
            #expect(scanner.finish().map { [$0.name, $0.value] } == example.fields)
        }
    }

    @Test(.bug(id: "F305")) func `keeps every field`() {
        var scanner = FormScanner()
        scanner.receive(Array(String(repeating: "a&", count: 200_000).utf8))
        #expect(scanner.finish().count == 200_000)
    }
}
