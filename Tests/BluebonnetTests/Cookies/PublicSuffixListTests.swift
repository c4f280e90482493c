// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct PublicSuffixListTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        var host: String
        var suffix: String?
        var registrable: String?

        var testDescription: String { self.host }
    }

    @Test(arguments: try CookieFixtures.rows("public-suffixes", Case.self))
    func `a host has a public suffix and a registrable domain`(_ one: Case) {
        #expect(PublicSuffixList.builtIn.publicSuffix(of: one.host) == one.suffix)
        #expect(PublicSuffixList.builtIn.registrableDomain(of: one.host) == one.registrable)
        #expect(PublicSuffixList.builtIn.isPublicSuffix(one.host) == (one.suffix != nil && one.registrable == nil))
    }

    @Test func `private domains count unless they are left out`() {
        var list = PublicSuffixList.builtIn
        list.sections = .icann
        #expect(list.registrableDomain(of: "me.github.io") == "github.io")
        #expect(list.publicSuffix(of: "x.co.uk") == "co.uk")
        #expect(PublicSuffixList.builtIn.registrableDomain(of: "me.github.io") == "me.github.io")
    }

    private static let text = """
        // a comment
        // ===BEGIN ICANN DOMAINS===
        test
        *.wild.test
        !not.wild.test   and a remark
        食狮.公司.test
        Bücher.TEST
        a..b
        // ===END ICANN DOMAINS===
        // ===BEGIN PRIVATE DOMAINS===
        shared.test\r
        """

    @Test(arguments: [
        ("a.test", "test"), ("a.b.wild.test", "b.wild.test"), ("wild.test", "test"), ("not.wild.test", "wild.test"),
        ("x.xn--85x722f.xn--55qx5d.test", "xn--85x722f.xn--55qx5d.test"),
        ("x.xn--bcher-kva.test", "xn--bcher-kva.test"),
        ("x.shared.test", "shared.test"), ("x.com", "com"), ("x.co.uk", "uk"),
    ])
    func `a list can be read at run time`(_ host: String, _ suffix: String) throws {
        let list = try PublicSuffixList(Self.text.utf8)
        #expect(list.publicSuffix(of: host) == suffix)
    }

    @Test func `a jar uses the list that it is given`() throws {
        let list = try PublicSuffixList(Self.text.utf8)
        let jar = CookieJar(TestCalendar()) { $0.suffixes = list }
        #expect(try jar.take("x=1; Domain=shared.test", "http://me.shared.test/") == .publicSuffix)
        #expect(try jar.take("x=1; Domain=co.uk", "http://me.co.uk/") == nil)
    }

    @Test(arguments: ["", "// nothing", "\n\n\n", "   x"])
    func `a list without a rule is refused`(_ text: String) {
        let error = #expect(throws: SessionError.self) { try PublicSuffixList(text.utf8) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `a list is read from a file`() throws {
        let folder = try TemporaryDirectory()
        try Data(Self.text.utf8).write(to: folder.file("list.dat"))
        #expect(
            try PublicSuffixList(contentsOf: folder.file("list.dat")).publicSuffix(of: "a.shared.test") == "shared.test"
        )
        let error = #expect(throws: SessionError.self) { try PublicSuffixList(contentsOf: folder.file("missing")) }
        #expect(error?.code == .storageFailed)
    }

    @Test func `every rule of the list is found`() throws {
        // Each line is looked up through the public function, so a wrong order of the table would show.
        let list = try PublicSuffixList(Array("zz\na\nb.a\nc-a\na.b.c\nab\na0\n".utf8))
        for domain in ["zz", "a", "b.a", "c-a", "a.b.c", "ab", "a0"] { #expect(list.isPublicSuffix(domain)) }
        #expect(!list.isPublicSuffix("b.zz"))
    }

    @Test func `hosts of any bytes are no trap`() {
        for host in [
            "\0", "é", "\u{1F36A}.com", String(repeating: "a.", count: 5000) + "com",
            String(repeating: ".", count: 100), "com\n", "@", "\\",
        ] {
            _ = PublicSuffixList.builtIn.registrableDomain(of: host)
        }
        #expect(PublicSuffixList.builtIn.publicSuffix(of: "x.com\ncom") == "com\ncom")
    }
}
