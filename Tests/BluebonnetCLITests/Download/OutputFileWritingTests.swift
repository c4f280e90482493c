// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct OutputFileWritingTests {
    private func write(_ text: String, to file: inout OutputFile) throws {
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    }

    @Test func `appears whole and at once`() throws {
        let folder = try TemporaryFolder()
        var file = try OutputFile.open(folder.path + "/a.txt")
        try self.write("hello", to: &file)
        #expect(folder.text("a.txt") == nil)
        #expect(folder.names.count == 1)
        try file.commit()
        #expect(folder.text("a.txt") == "hello")
        #expect(folder.names == ["a.txt"])
    }

    @Test func `leaves nothing and changes nothing when it is dropped`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("a.txt", "old")
        do {
            var file = try OutputFile.open(path)
            try self.write("new", to: &file)
        }
        #expect(folder.names == ["a.txt"])
        #expect(folder.text("a.txt") == "old")
    }

    @Test func `writes straight into a device`() throws {
        var file = try OutputFile.open("/dev/null")
        try self.write("gone", to: &file)
        try file.commit()
    }

    @Test func `explains a full disk and removes itself`() throws {
        var file = try OutputFile.open("/dev/full")
        let failure = #expect(throws: CommandFailure.self) { try self.write("x", to: &file) }
        #expect(failure?.message.contains("No space left") == true)
    }
}
