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
}
