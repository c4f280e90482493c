// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import Foundation
import Testing

@testable import Bluebonnet

/// Uploads whose journal cannot be written.
@Suite(.timeLimit(.minutes(1))) struct UploadDiskTests {
    /// Takes all the room of a disk.
    private static func fill(_ disk: URL) throws {
        let path = disk.appending(path: "ballast").path(percentEncoded: false)
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let ballast = try #require(FileHandle(forWritingAtPath: path))
        for size in [4096, 1] { while (try? ballast.write(contentsOf: Data(count: size))) != nil {} }
        try ballast.close()
    }

    @Test(
        .bug(id: "F801"),
        .enabled(if: SmallDisk.isAvailable, "mounting a small file system takes rights that this process lacks"),
        arguments: [false, true]
    )
    func `an upload under way needs no room for its journal`(_ isInterrupted: Bool) async throws {
        try await SmallDisk.with { disk in
            try await UploadTestScene.run { scene in
                scene.upload.journalDirectory = disk
                let origin = scene.origin
                scene.server.respond(to: "/files/0") { request in
                    if origin.requests.count == 2 { try? Self.fill(disk) }
                    return origin.respond(to: request)
                }
                if isInterrupted {
                    origin.fail(nil, nil, .status(403))
                    #expect(try await scene.failing().uploadRemains?.acknowledgedByteCount == 600)
                    try FileManager.default.removeItem(at: disk.appending(path: "ballast"))
                }
                let uploaded = try await scene.send()
                #expect(uploaded.resumedOffset == (isInterrupted ? 600 : 0))
                #expect(origin.files == [scene.bytes])
                let names = try FileManager.default.contentsOfDirectory(atPath: disk.path(percentEncoded: false))
                #expect(names == (isInterrupted ? [] : ["ballast"]))
            }
        }
    }

    @Test(.bug(id: "F802"), arguments: [(EMFILE, false), (ENOMEM, false), (EACCES, true), (EROFS, true)])
    func `another folder for the journal is advised where it may help`(_ code: CInt, _ helps: Bool) {
        let error = SessionError(ofUploadJournal: SystemError(.create, code))
        #expect(error.reason.contains("journalDirectory") == helps)
    }
}
