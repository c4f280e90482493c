// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct DownloadNameTests {
    @Test(arguments: [
        (#"attachment; filename="report.csv""#, "report.csv"), ("attachment; filename=report.csv", "report.csv"),
        ("attachment; filename*=UTF-8''na%C3%AFve%20plan.txt", "naïve plan.txt"),
        (#"attachment; filename="a.txt"; filename*=utf-8'de'b%20c.txt"#, "b c.txt"),
        (#"attachment; filename="../../etc/passwd""#, "passwd"), (#"attachment; filename="C:\dir\x.exe""#, "x.exe"),
        (#"attachment; filename=".bashrc""#, "bashrc"), (#"attachment; filename="a;b.txt""#, "a;b.txt"),
        (#"attachment; filename="a\"b.txt""#, "a\"b.txt"), ("attachment; filename=\"a\u{1B}[2Jb\"", "a[2Jb"),
        (#"ATTACHMENT ; FILENAME = "x.bin" ; size=3"#, "x.bin"), (#"inline; filename="~""#, "path.json"),
        (#"attachment; filename="..""#, "path.json"), ("attachment; filename=", "path.json"),
        ("attachment", "path.json"),
        ("attachment; filename*=UTF-8''%FF%FE", "path.json"), ("attachment; filename=\"no end", "no end"),
        ("attachment; filename=\"/\u{301}etc/\u{200D}passwd\"", "passwd"),
        ("attachment; filename=\"a/\u{301}..\"", "path.json"), ("attachment; filename=\"/\u{FE0F}x\"", "x"),
        (#"attachment; filename="a/""#, "a"), ("attachment; filename=\"a\0b\"", "ab"),
    ])
    func `takes a name from Content-Disposition, never a place`(_ disposition: String, _ expected: String) {
        #expect(DownloadName.name(disposition: disposition, urlPath: "/some/path.json") == expected)
    }

    @Test(arguments: [
        ("/a/b.txt", "b.txt"), ("/a/b/", "b"), ("/", "download"), ("", "download"), ("/a%20b.txt", "a b.txt"),
        ("/%2e%2e%2fx", "x"), ("/%00", "download"), ("/%zz", "%zz"), ("/...", "download"), ("/a%2Fb", "b"),
    ])
    func `takes a name from the URL otherwise`(_ path: String, _ expected: String) {
        #expect(DownloadName.name(disposition: nil, urlPath: path) == expected)
    }

    @Test func `cuts names that no file system takes`() {
        let name = DownloadName.name(disposition: nil, urlPath: "/" + String(repeating: "%C3%A9", count: 500))
        #expect(name.utf8.count <= 200)
        #expect(name.allSatisfy { $0 == "é" })
    }

    @Test(arguments: [
        ("data.json", 0, "data.json"), ("data.json", 1, "data-1.json"), ("data", 2, "data-2"),
        ("a.tar.gz", 1, "a.tar-1.gz"),
        (".hidden", 1, ".hidden-1"),
    ])
    func `numbers go before the extension`(_ name: String, _ number: Int, _ expected: String) {
        #expect(DownloadName.numbered(name, number) == expected)
    }
}
