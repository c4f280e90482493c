// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

@testable import BluebonnetCLI

@Suite struct DownloadPlaceTests {
    @Test func `a file gets a number where its name is taken`() throws {
        let folder = try TemporaryFolder()
        for number in 0..<3 {
            let place = try DownloadPlace(nil, in: folder.path)
            _ = try folder.add(String(place.path.dropFirst(folder.path.count + 1)), "\(number)")
            #expect(try place.settle(as: "a.txt") == (number == 0 ? "a.txt" : "a-\(number).txt"))
        }
        #expect(folder.names == ["a-1.txt", "a-2.txt", "a.txt"])
        #expect(folder.text("a.txt") == "0")
        #expect(folder.text("a-2.txt") == "2")
    }

    @Test func `a file that cannot get its name is removed`() throws {
        let folder = try TemporaryFolder()
        let place = try DownloadPlace(nil, in: folder.path)
        _ = try folder.add(String(place.path.dropFirst(folder.path.count + 1)), "x")
        let name = String(repeating: "x", count: 300)
        let failure = #expect(throws: CommandFailure.self) { try place.settle(as: name) }
        #expect(failure?.message.contains("cannot write “\(name)”") == true)
        #expect(folder.names.isEmpty)
    }

    @Test func `a folder and a place in a folder that is not there are refused before anything is sent`() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path, folder.path + "/none/x"] {
            let failure = #expect(throws: CommandFailure.self) { try DownloadPlace(path, in: nil) }
            #expect(failure?.status == .usage)
        }
    }

    @Test(.bug(id: "F453"), arguments: ["~", "~nobody", "~nobody/x", "~/x"])
    func `the URL of a place is that of its path, also where this begins with a tilde`(_ path: String) {
        let folder = FileManager.default.currentDirectoryPath
        #expect(LiteralPath.url(path).path(percentEncoded: false) == "\(folder)/\(path)")
        #expect(LiteralPath.url("/a/\(path)").path(percentEncoded: false) == "/a/\(path)")
        #expect(LiteralPath.text(path) == "./\(path)")
        #expect(LiteralPath.text("a\(path)") == "a\(path)")
    }

    @Test(.bug(id: "F453")) func `a place may begin with a tilde`() throws {
        let place = try DownloadPlace("~nobody", in: nil)
        #expect(place.url.path(percentEncoded: false) == "\(FileManager.default.currentDirectoryPath)/~nobody")
    }
}
