// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A directory for one test; removed with the value.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        self.url = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: self.url) }

    /// The names of everything in it, hidden files too.
    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: self.url.path(percentEncoded: false)).sorted()
        }
    }

    func file(_ name: String) -> URL { self.url.appending(path: name) }

    func contents(_ name: String) throws -> Data { try Data(contentsOf: self.file(name)) }
}
