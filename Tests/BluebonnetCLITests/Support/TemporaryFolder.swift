// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder that is removed with its last user.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-cli-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = url.path(percentEncoded: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    func add(_ name: String, _ content: String) throws -> String {
        let path = self.path + "/" + name
        try Data(content.utf8).write(to: URL(filePath: path))
        return path
    }

    /// Writes a file that was changed last at a moment, in seconds since 1970.
    func write(_ bytes: [UInt8], to name: String, changed seconds: Int) throws {
        let path = self.path + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    /// The bytes of a file; nil if there is none.
    func bytes(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: self.path + "/" + name).map { Array($0) }
    }

    /// The content of a file; nil if there is none.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: self.path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names of all files, hidden ones included.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []).sorted()
    }
}
