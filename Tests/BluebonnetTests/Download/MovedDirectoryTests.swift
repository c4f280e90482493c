// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// Destinations whose directory is another one at the end.
@Suite(.timeLimit(.minutes(1))) struct MovedDirectoryTests {
    /// How the path of the destination's directory changes.
    enum Change: CaseIterable {
        case moved, replaced, redirected
    }

    private static let policies = [DownloadPolicy(), .resuming]

    /// Makes a path lead elsewhere; the directory that it named is then at another one.
    private static func change(_ folder: URL, _ change: Change, to other: URL) throws {
        let manager = FileManager.default
        switch change {
        case .moved: try manager.moveItem(at: folder, to: other)
        case .replaced:
            try manager.moveItem(at: folder, to: other)
            try manager.createDirectory(at: folder, withIntermediateDirectories: false)
        case .redirected:
            try manager.removeItem(at: folder)
            try manager.createSymbolicLink(at: folder, withDestinationURL: other.deletingLastPathComponent())
        }
    }

    @Test(.bug(id: "F864"), arguments: Change.allCases, [0, 1])
    func `a file that is not at its destination is not said to be there`(_ change: Change, _ policy: Int) async throws {
        try await DownloadScene.run { scene in
            let (origin, gate, monitor) = (RangeOrigin(byteCount: 100_000), Gate(), TransferMonitor())
            _ = scene.serve("/file", { origin.response(to: $0, .hold(.afterBody(50_000), until: gate)) })
            let (folder, other) = (scene.directory.file("folder"), scene.directory.file("other"))
            try FileManager.default.createDirectory(
                at: change == .redirected ? other : folder,
                withIntermediateDirectories: false
            )
            if change == .redirected {
                try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: other)
            }
            let download = Task {
                try await scene.session.download(
                    scene.request(),
                    to: folder.appending(path: "a"),
                    policy: Self.policies[policy],
                    monitor: monitor
                )
            }
            for await progress in monitor.download where progress.completed == 50_000 { break }
            try Self.change(folder, change, to: other)
            gate.open()
            let error = await #expect(throws: SessionError.self) { try await download.value }
            #expect(error?.code == .destinationUnavailable)
            #expect(error?.reason.contains("moved or replaced") == true)
            #expect(error?.downloadRemains == nil)
            // The directory that was chosen has the file, and nothing else.
            #expect(try FileManager.default.contentsOfDirectory(atPath: other.path(percentEncoded: false)) == ["a"])
            #expect(try Data(contentsOf: other.appending(path: "a")) == origin.bytes)
        }
    }

    @Test(.bug(id: "F864")) func `a link may lead to the destination's directory`() async throws {
        try await DownloadScene.run { scene in
            _ = scene.serve("/file", { RangeOrigin().response(to: $0) })
            let folder = try TemporaryDirectory()
            let link = scene.directory.file("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
            let file = try await scene.session.download(scene.request(), to: link.appending(path: "a"))
            #expect(file.byteCount == 64)
            #expect(try folder.names == ["a"])
        }
    }
}
