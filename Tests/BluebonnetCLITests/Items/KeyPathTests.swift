// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct KeyPathTests {
    @Test(
        arguments: [
            ("name", [.key("name")]), ("a[b]", [.key("a"), .key("b")]), ("a[]", [.key("a"), .append]),
            ("a[b][]", [.key("a"), .key("b"), .append]), ("a[0][x]", [.key("a"), .index(0), .key("x")]),
            ("[]", [.append]), ("[3]", [.index(3)]), ("[a][b]", [.key("a"), .key("b")]),
            ("a\\[b\\]", [.key("a[b]")]), ("a[\\3]", [.key("a"), .key("3")]), ("a[b\\]c]", [.key("a"), .key("b]c")]),
            ("a\\b", [.key("a\\b")]), ("a[\\-1]", [.key("a"), .key("-1")]), ("a[-x]", [.key("a"), .key("-x")]),
            ("a[-]", [.key("a"), .key("-")]),
            ("a[\u{301}b]", [.key("a"), .key("\u{301}b")]), ("", [.key("")]), ("a[12x]", [.key("a"), .key("12x")]),
            ("a[10000]", [.key("a"), .index(10000)]),
        ] as [(String, [KeyPath.Step])]
    )
    func `reads the steps`(_ text: String, _ steps: [KeyPath.Step]) throws {
        #expect(try KeyPath(text).steps == steps)
    }

    @Test(
        .bug(id: "F318"),
        arguments: [
            ("\\1b", [.key("\\1b")]), ("a[\\-x]", [.key("a"), .key("\\-x")]), ("[\\12x]", [.key("\\12x")]),
            ("\\-", [.key("\\-")]), ("\\1", [.key("1")]), ("\\-12[a]", [.key("-12"), .key("a")]),
        ] as [(String, [KeyPath.Step])]
    )
    func `only a whole number loses the backslash before it`(_ text: String, _ steps: [KeyPath.Step]) throws {
        #expect(try KeyPath(text).steps == steps)
    }

    @Test(arguments: [
        ("a[", "lacks a closing"), ("a[b", "lacks a closing"), ("a[b]c", "text after"), ("a[b[c]]", "inside brackets"),
        ("a[10001]", "larger than"), ("a[-1]", "is negative"), ("a[-10]", "is negative"), ("a[0]\u{301}", "text after"),
        ("a[99999999999999999999999]", "larger than"),
        ("a" + String(repeating: "[b]", count: 200), "levels deep"),
    ])
    func `explains what is wrong with a name`(_ text: String, _ explanation: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try KeyPath(text) }
        #expect(failure.message.contains(explanation), "\(failure.message)")
    }
}
