// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetFiles

@Suite struct JournalFileTests {
    @Test(.bug(id: "F227"))
    func `a journal that cannot be removed is an error, and one that is not there is none`() throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: folder.path + "/a.txt"))
        let directory = try location.openDirectory()
        let journal = JournalFile(name: "a.journal")
        try journal.remove(in: directory)
        try journal.write(Array("{}".utf8), in: directory, synchronizing: false)
        try folder.add("a.journal.new", "left")
        try journal.remove(in: directory)
        #expect(folder.names.isEmpty)
        // A directory cannot be removed like a file, not even by a user who may do everything.
        let path = folder.path + "/a.journal"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        var action: SystemError.Action?
        do throws(SystemError) {
            try journal.remove(in: directory)
        } catch {
            action = error.action
        }
        #expect(action == .remove)
        #expect(folder.names == ["a.journal"])
    }

    @Test(.bug(id: "F797"), arguments: [nil, S_IFDIR, S_IFLNK, S_IFIFO, S_IFSOCK])
    func `what is no regular file is no journal, and no error`(_ kind: mode_t?) throws {
        let folder = try TestFolder()
        let path = folder.path + "/a.journal"
        switch kind {
        case nil: break
        case S_IFDIR: try #require(mkdir(path, 0o700) == 0)
        case S_IFLNK: try #require(symlink("b", path) == 0)
        case let kind?: try #require(mknod(path, kind | 0o600, 0) == 0)
        }
        let directory = try #require(FileLocation(path: path)).openDirectory()
        #expect(try JournalFile(name: "a.journal").read(in: directory) == nil)
    }
}
