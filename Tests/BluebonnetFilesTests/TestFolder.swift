// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A temporary folder that is removed with its last reference.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = url.path(percentEncoded: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func add(_ name: String, _ content: String) throws {
        try Data(content.utf8).write(to: URL(filePath: self.path + "/" + name))
    }

    /// The content of a file; nil if there is none.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: self.path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The permissions of a file; nil if there is none.
    func mode(_ name: String) -> mode_t? {
        var status = stat()
        return lstat(self.path + "/" + name, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// The names of all files, hidden ones included.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []).sorted()
    }
}
