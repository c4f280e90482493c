// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetFiles

@Suite struct PartialFileTests {
    private func file(in folder: TestFolder, _ location: FileLocation) throws -> PartialFile {
        try PartialFile(at: location, continuing: PartialFile.name(for: location))
    }

    /// The names beside a partial file under which something lies for a moment: a process may be killed in it.
    private static let momentaryNames = [".journal.new", ".mode"]

    @Test(arguments: momentaryNames, [true, false])
    func `what a killed process has left of a moment is removed, and blocks nothing`(
        _ ending: String,
        commits: Bool
    ) throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: folder.path + "/a.txt"))
        try folder.add(PartialFile.name(for: location) + ending, "left")
        try folder.add("new.txt", "")
        do {
            var file = try self.file(in: folder, location)
            try Array("hello".utf8).withUnsafeBytes { try file.write($0) }
            if commits { try file.commit(replacing: false, synchronizing: false) }
        }
        // Without a commit nobody asks for the mode of a new file.
        let isLeft = !commits && ending == ".mode"
        let left = isLeft ? [PartialFile.name(for: location) + ending] : []
        #expect(folder.names == left + (commits ? ["a.txt", "new.txt"] : ["new.txt"]))
        guard commits else { return }
        #expect(folder.text("a.txt") == "hello")
        // The permissions are those of any new file, and not those of the partial one.
        #expect(folder.mode("a.txt") == folder.mode("new.txt"))
    }

    @Test func `a file that is committed leaves no journal`() throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: folder.path + "/a.txt"))
        var file = try self.file(in: folder, location)
        try file.writeJournal(Array("{}".utf8), synchronizing: false)
        #expect(try file.readJournal() == Array("{}".utf8))
        #expect(folder.names.count == 2)
        try file.commit(replacing: false, synchronizing: false)
        #expect(folder.names == ["a.txt"])
    }

    /// The bytes that follow would otherwise be taken for the rest of those that it describes.
    @Test(.bug(id: "F320")) func `a journal that cannot be removed is an error, and one that is not there is none`()
        throws
    {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: folder.path + "/a.txt"))
        let file = try self.file(in: folder, location)
        try file.removeJournal()
        let blocked = folder.path + "/" + PartialFile.name(for: location) + ".journal"
        try FileManager.default.createDirectory(atPath: blocked, withIntermediateDirectories: false)
        #expect(throws: SystemError.self) { try file.removeJournal() }
    }

    @Test(.bug(id: "F338"), arguments: [true, false])
    func `a file that cannot take its name stays its owner's`(_ replacing: Bool) throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: folder.path + "/a.txt"))
        try FileManager.default.createDirectory(atPath: location.path, withIntermediateDirectories: false)
        var file = try self.file(in: folder, location)
        try Array("hello".utf8).withUnsafeBytes { try file.write($0) }
        #expect(throws: SystemError.self) { try file.commit(replacing: replacing, synchronizing: false) }
        #expect(folder.text(file.name) == "hello")
        #expect(folder.mode(file.name) == 0o600)
    }

    /// Somebody has removed the file by hand, and another process has begun it again.
    @Test(.bug(id: "F493"), arguments: [true, false], [true, false])
    func `a file that has taken the name is neither renamed nor removed`(_ commits: Bool, _ replacing: Bool) throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: folder.path + "/a.txt"))
        let name = PartialFile.name(for: location)
        do {
            var file = try self.file(in: folder, location)
            try Array("hello".utf8).withUnsafeBytes { try file.write($0) }
            try FileManager.default.removeItem(atPath: folder.path + "/" + name)
            try folder.add(name, "other")
            try folder.add(name + ".journal", "{}")
            let lost = SystemError(.rename, ENOENT)
            let range = try file.makeRangeFile()
            #expect(throws: lost) { try file.writeJournal([], synchronizing: false) }
            #expect(throws: lost) { try file.removeJournal() }
            #expect(throws: lost) { try range.writeJournal([], synchronizing: false) }
            #expect(throws: lost) { try range.prepareJournal([]) }
            #expect(throws: lost) { try range.useNextJournal() }
            if commits { #expect(throws: lost) { try file.commit(replacing: replacing, synchronizing: false) } }
        }
        #expect(folder.names == [name, name + ".journal"])
        #expect(folder.text(name) == "other")
        #expect(folder.text(name + ".journal") == "{}")
    }

    /// The other name is in a snapshot of hard links, for example, and what it names must not change.
    @Test(.bug(id: "F497")) func `a partial file with another name elsewhere is continued`() throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: folder.path + "/a.txt"))
        let name = PartialFile.name(for: location)
        try folder.add(name, "hello")
        try folder.add(name + ".copy", "left by a killed process")
        try FileManager.default.linkItem(atPath: folder.path + "/" + name, toPath: folder.path + "/snapshot")
        var file = try self.file(in: folder, location)
        let byteCount = try file.storedByteCount()
        #expect(byteCount == 5)
        try file.truncate(to: byteCount)
        try Array(", you".utf8).withUnsafeBytes { try file.write($0) }
        try file.flush()
        #expect(folder.text(name) == "hello, you")
        #expect(folder.text("snapshot") == "hello")
        #expect(folder.mode(name) == 0o600)
        #expect(folder.names == [name, "snapshot"])
    }

    @Test(.bug(id: "F497")) func `a partial file that is the finished one too is not written to`() throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: folder.path + "/a.txt"))
        let name = PartialFile.name(for: location)
        try folder.add("a.txt", "hello")
        try FileManager.default.linkItem(atPath: folder.path + "/a.txt", toPath: folder.path + "/" + name)
        let byteCount = try self.file(in: folder, location).storedByteCount()
        #expect(byteCount == 0)
        #expect(folder.text("a.txt") == "hello")
        #expect(folder.names == ["a.txt"])
    }
}
