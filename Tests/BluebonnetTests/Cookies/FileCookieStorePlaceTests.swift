// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Bluebonnet

/// Links to files of cookies, and files that cannot be written.
@Suite(.timeLimit(.minutes(1))) struct FileCookieStorePlaceTests {
    private let folder: TemporaryDirectory
    private let calendar = TestCalendar()

    init() throws { self.folder = try TemporaryDirectory() }

    private func jar(_ file: URL) throws -> CookieJar {
        CookieJar(self.calendar, store: try FileCookieStore(at: file) { [calendar] in calendar.now })
    }

    private func link(_ name: String, to destination: String) throws {
        let path = self.folder.file(name).path(percentEncoded: false)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
    }

    @Test(.bug(id: "F242"), arguments: ["absolute", "relative", "chain", "dangling"])
    func `cookies are kept in the file that a link leads to, and the link stays`(_ kind: String) throws {
        let target = self.folder.file("data").appending(path: "journal")
        let directory = self.folder.file("data")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if kind != "dangling" { _ = try FileCookieStore(at: target) }
        switch kind {
        case "absolute": try self.link("cookies", to: target.path(percentEncoded: false))
        case "chain":
            try self.link("cookies", to: "middle")
            try self.link("middle", to: "data/journal")
        default: try self.link("cookies", to: "data/journal")
        }
        let jar = try self.jar(self.folder.file("cookies"))
        try jar.take("a=1; Max-Age=100", "http://h.example/")
        #expect(jar.storeError == nil)
        #expect(try self.jar(target).cookies.map(\.name) == ["a"])
        #expect(try self.folder.names == ["cookies", "data"] + (kind == "chain" ? ["middle"] : []))
        let path = self.folder.file("cookies").path(percentEncoded: false)
        let destination = try FileManager.default.destinationOfSymbolicLink(atPath: path)
        #expect(destination.hasSuffix(kind == "chain" ? "middle" : "data/journal"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        #expect(names.sorted() == ["journal", "journal.lock"])
    }

    @Test(.bug(id: "F242")) func `a file that may be read and not written is an error at once`() async throws {
        let file = self.folder.file("cookies")
        _ = try FileCookieStore(at: file)
        try FileManager.default.removeItem(at: self.folder.file("cookies.lock"))
        let path = file.path(percentEncoded: false)
        try #require(chmod(path, 0o444) == 0)
        try #require(chmod(self.folder.url.path(percentEncoded: false), 0o777) == 0)
        await #expect(processExitsWith: .success) { [path = path as String] in
            // Root may write any file, so the process becomes another user's.
            if geteuid() == 0, setuid(65_534) != 0 { return }
            if (try? FileCookieStore(at: URL(filePath: path))) != nil { exit(EXIT_FAILURE) }
        }
    }
}
