// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct NetscapeCookieFileTests {
    private let calendar = TestCalendar()
    private let folder: TemporaryDirectory

    init() throws { self.folder = try TemporaryDirectory() }

    private func imported(_ text: String) throws -> CookieJar {
        try Data(text.utf8).write(to: self.folder.file("in.txt"))
        let jar = CookieJar(self.calendar)
        try jar.importCookies(from: self.folder.file("in.txt"))
        return jar
    }

    @Test func `cookies survive the way through a file`() throws {
        let jar = CookieJar(self.calendar)
        let fields = [
            "a=1", "b=2; Domain=example.com", "c=3; HttpOnly; Secure; Path=/x", "d=ü; Max-Age=100; HttpOnly", "e=",
            "f==\"x y\"",
        ]
        for field in fields { try jar.take(field, "https://www.example.com/") }
        #expect(try jar.exportCookies(to: self.folder.file("cookies.txt")).isEmpty)
        let copy = CookieJar(self.calendar)
        #expect(try copy.importCookies(from: self.folder.file("cookies.txt")) == fields.count)
        func facts(_ jar: CookieJar) -> [String] {
            jar.cookies.map { "\($0) \($0.value) \($0.isSecure) \($0.isHTTPOnly) \(String(describing: $0.expires))" }
        }
        #expect(facts(copy) == facts(jar))
    }

    @Test func `the file has the lines that curl writes`() throws {
        let jar = CookieJar(self.calendar)
        try jar.take("a=1; Max-Age=60", "http://www.example.com/x/y")
        try jar.take("b=2; Domain=example.com; HttpOnly; Secure; Path=/", "https://www.example.com/")
        try jar.exportCookies(to: self.folder.file("cookies.txt"))
        let lines = String(decoding: try self.folder.contents("cookies.txt"), as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "# Netscape HTTP Cookie File")
        #expect(
            lines.filter { $0.contains("\t") } == [
                "www.example.com\tFALSE\t/x\tFALSE\t1767225660\ta\t1",
                "#HttpOnly_.example.com\tTRUE\t/\tTRUE\t0\tb\t2",
            ]
        )
    }

    @Test func `only the owner can read the file, even if anybody could read the one before`() throws {
        let file = self.folder.file("cookies.txt")
        try Data("old".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file.path())
        try CookieJar(self.calendar).exportCookies(to: file)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try self.folder.names == ["cookies.txt"])
    }

    @Test func `what the format cannot hold is named`() throws {
        let jar = CookieJar(self.calendar)
        for field in ["noname", "tab=a\tb", "good=1"] { try jar.take(field, "http://h.example/") }
        let omitted = try jar.exportCookies(to: self.folder.file("cookies.txt"))
        #expect(omitted.map(\.value) == ["noname", "a\tb"])
        let copy = CookieJar(self.calendar)
        #expect(try copy.importCookies(from: self.folder.file("cookies.txt")) == 1)
    }

    @Test(arguments: [
        ("h.example\tFALSE\t/\tFALSE\t0\tn\tv", "n for h.example/"),
        (".h.example\tTRUE\t/\tFALSE\t0\tn\tv", "n for *.h.example/"),
        ("h.example\tTRUE\t/\tFALSE\t0\tn\tv", "n for *.h.example/"),
        ("H.Example\tfalse\t/p\ttrue\t1767225601\tn\tv\r", "n for h.example/p"),
        ("#HttpOnly_h.example\tFALSE\t/\tFALSE\t0\tn\tv", "n for h.example/"),
        ("h.example\tFALSE\t/\tFALSE\t0\tn", "n for h.example/"),
        ("# h.example\tFALSE\t/\tFALSE\t0\tn\tv", nil), ("#Http_h.example\tFALSE\t/\tFALSE\t0\tn\tv", nil),
        ("", nil), ("garbage", nil), ("h.example FALSE / FALSE 0 n v", nil), ("\t\t\t\t\t\t", nil),
        ("h.example\tFALSE\t/\tFALSE\t0\tn\tv\tmore", nil), ("h.example\tFALSE\t/\tFALSE\tx\tn\tv", nil),
        ("h.example\tFALSE\t/\tFALSE\t1\tn\tv", nil), ("h.example\tFALSE\t/\tFALSE\t-1\tn\tv", nil),
        ("h.example\tFALSE\t/\tFALSE\t99999999999999999999\tn\tv", nil), ("h.example\tFALSE\tp\tFALSE\t0\tn\tv", nil),
        ("com\tTRUE\t/\tFALSE\t0\tn\tv", nil), ("\tTRUE\t/\tFALSE\t0\tn\tv", nil),
        ("h.example\tFALSE\t/\tFALSE\t0\tn\ta;b", nil),
        ("h.example\tFALSE\t/\tFALSE\t0\t__Secure-n\tv", nil), ("h.example\tFALSE\t/\tFALSE\t0\tn\u{1}\tv", nil),
    ])
    func `a line is a cookie or is passed over`(_ line: String, _ description: String?) throws {
        let jar = try self.imported("# Netscape HTTP Cookie File\n\(line)\nlast.example\tFALSE\t/\tFALSE\t0\tlast\t1")
        #expect(jar.cookies.map { "\($0)" } == [description, "last for last.example/"].compactMap { $0 })
    }

    @Test(.bug(id: "F743")) func `a session cookie that Python has written has an empty expiry`() throws {
        let jar = try self.imported("h.example\tFALSE\t/\tFALSE\t\tn\tv\n")
        #expect(jar.cookies.map { "\($0)" } == ["n for h.example/"])
        #expect(jar.cookies.first?.expires == nil)
    }

    @Test func `an end too far away is brought forward`() throws {
        let jar = try self.imported("h.example\tFALSE\t/\tFALSE\t9223372036854775807\tn\tv\n")
        #expect(jar.cookies.first?.expires == self.calendar.now + 34_560_000)
    }

    @Test(.bug(id: "F601")) func `a file that cannot be read or written is an error of the session`() throws {
        let jar = CookieJar(self.calendar)
        let missing = #expect(throws: SessionError.self) {
            try jar.importCookies(from: self.folder.file("cookies.txt"))
        }
        #expect(missing?.code == .storageFailed)
        #expect(missing?.reason == "the file of cookies “cookies.txt” could not be read: No such file or directory")
        let elsewhere = #expect(throws: SessionError.self) {
            try jar.exportCookies(to: self.folder.file("none/cookies.txt"))
        }
        #expect(elsewhere?.code == .destinationUnavailable)
        // The option of downloads does not exist here.
        #expect(elsewhere?.reason.contains("createDirectories") == false)
        #expect(throws: SessionError.self) { try jar.exportCookies(to: self.folder.url) }
        #expect(throws: SessionError.self) { try jar.importCookies(from: self.folder.url) }
    }
}
