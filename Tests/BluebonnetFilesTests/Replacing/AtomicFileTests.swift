// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetFiles

@Suite struct AtomicFileTests {
    private func write(_ text: String, to file: inout AtomicFile) throws {
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    }

    private func file(in folder: TestFolder, _ name: String = "a.txt") throws -> AtomicFile {
        try AtomicFile(at: try #require(FileLocation(path: folder.path + "/" + name)))
    }

    @Test func `a file appears complete and under its name only after commit`() throws {
        let folder = try TestFolder()
        var file = try self.file(in: folder)
        try self.write("hello", to: &file)
        #expect(folder.names.count == 1)
        #expect(folder.names.first?.hasSuffix(".partial") == true)
        try file.commit(replacing: false, synchronizing: false)
        #expect(folder.text("a.txt") == "hello")
        #expect(folder.names == ["a.txt"])
    }

    @Test func `a file that is dropped before commit leaves nothing and changes nothing`() throws {
        let folder = try TestFolder()
        try folder.add("a.txt", "old")
        do {
            var file = try self.file(in: folder)
            try self.write("new", to: &file)
        }
        #expect(folder.names == ["a.txt"])
        #expect(folder.text("a.txt") == "old")
    }

    @Test func `pieces smaller and larger than the buffer keep their order`() throws {
        let folder = try TestFolder()
        var file = try self.file(in: folder)
        var expected = ""
        for size in [1, 15_000, 20_000, 3, 60_000, 10_000, 70_000, 0, 5] {
            let text = String(repeating: "\(size % 10)", count: size)
            try self.write(text, to: &file)
            expected += text
        }
        #expect(file.byteCount == Int64(expected.utf8.count))
        try file.commit(replacing: false, synchronizing: true)
        #expect(folder.text("a.txt") == expected)
    }

    @Test func `a taken name is refused and another one can be tried`() throws {
        let folder = try TestFolder()
        try folder.add("a.txt", "old")
        var file = try self.file(in: folder)
        try self.write("new", to: &file)
        let error = #expect(throws: SystemError.self) { try file.commit(replacing: false, synchronizing: false) }
        #expect(error?.code == EEXIST)
        try file.commit(as: "b.txt", replacing: false, synchronizing: false)
        #expect(folder.names == ["a.txt", "b.txt"])
        #expect(folder.text("a.txt") == "old")
        #expect(folder.text("b.txt") == "new")
    }

    @Test(.bug(id: "F7"))
    func `only the owner can read a file before commit`() throws {
        let folder = try TestFolder()
        var file = try self.file(in: folder)
        try self.write("secret", to: &file)
        let name = try #require(folder.names.first)
        #expect(folder.mode(name) == 0o600)
        try file.commit(replacing: false, synchronizing: false)
    }

    @Test(.bug(id: "F7"), arguments: [0o600, 0o640, 0o444, 0o755] as [mode_t])
    func `a file keeps the permissions of the file that it replaces`(_ mode: mode_t) throws {
        let folder = try TestFolder()
        try folder.add("a.txt", "old")
        #expect(chmod(folder.path + "/a.txt", mode) == 0)
        var file = try self.file(in: folder)
        try self.write("new", to: &file)
        try file.commit(replacing: true, synchronizing: false)
        #expect(folder.text("a.txt") == "new")
        #expect(folder.mode("a.txt") == mode)
        #expect(folder.names == ["a.txt"])
    }

    @Test(.bug(id: "F7"), arguments: [false, true])
    func `a new file gets the permissions that any new file gets`(_ replacing: Bool) throws {
        let folder = try TestFolder()
        close(open(folder.path + "/b.txt", O_WRONLY | O_CREAT, 0o666))
        var file = try self.file(in: folder)
        try self.write("new", to: &file)
        try file.commit(replacing: replacing, synchronizing: false)
        #expect(folder.mode("a.txt") == folder.mode("b.txt"))
        #expect(folder.names == ["a.txt", "b.txt"])
    }

    @Test func `a link at the destination is replaced and its target is not touched`() throws {
        let folder = try TestFolder()
        try folder.add("target", "old")
        #expect(symlink("target", folder.path + "/a.txt") == 0)
        var file = try self.file(in: folder)
        try self.write("new", to: &file)
        try file.commit(replacing: true, synchronizing: false)
        #expect(folder.text("a.txt") == "new")
        #expect(folder.text("target") == "old")
    }

    @Test(.bug(id: "F52")) func `a pipe at the destination is not replaced`() throws {
        let folder = try TestFolder()
        #expect(mkfifo(folder.path + "/a.txt", 0o600) == 0)
        do {
            var file = try self.file(in: folder)
            let error = #expect(throws: SystemError.self) { try file.commit(replacing: true, synchronizing: false) }
            #expect(error == SystemError(.rename, ENOTSUP))
        }
        var status = stat()
        #expect(lstat(folder.path + "/a.txt", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFIFO)
        #expect(folder.names == ["a.txt"])
    }

    @Test(arguments: [String(repeating: "x", count: 255), String(repeating: "e\u{301}", count: 85)])
    func `a name of the greatest length leaves room for the partial file's`(_ name: String) throws {
        let folder = try TestFolder()
        var file = try self.file(in: folder, name)
        try file.commit(replacing: false, synchronizing: false)
        #expect(folder.names == [name])
    }

    @Test func `a missing directory is an error`() throws {
        let location = try #require(FileLocation(path: "/nonexistent/a.txt"))
        let error = #expect(throws: SystemError.self) { _ = try AtomicFile(at: location).byteCount }
        #expect(error == SystemError(.open, ENOENT))
    }

    @Test(.bug(id: "F493"), arguments: [true, false])
    func `a file that has taken the temporary name is neither renamed nor removed`(_ commits: Bool) throws {
        let folder = try TestFolder()
        var name = ""
        do {
            var file = try self.file(in: folder)
            try self.write("new", to: &file)
            name = try #require(folder.names.first)
            try FileManager.default.removeItem(atPath: folder.path + "/" + name)
            try folder.add(name, "other")
            if commits {
                #expect(throws: SystemError(.rename, ENOENT)) {
                    try file.commit(replacing: true, synchronizing: false)
                }
            }
        }
        #expect(folder.names == [name])
        #expect(folder.text(name) == "other")
    }
}
