// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file system of 256 KiB that is there for one test.
enum SmallDisk {
    /// Whether this process may mount one.
    static let isAvailable: Bool = {
        guard geteuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        let path = directory.url.path(percentEncoded: false)
        guard Self.run("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", path]) == 0 else { return false }
        _ = Self.run("umount", ["-l", path])
        return true
    }()

    /// Mounts one, and hands its root over.
    static func with(_ body: (URL) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let disk = directory.file("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
        let path = disk.path(percentEncoded: false)
        guard Self.run("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", path]) == 0 else {
            throw CocoaError(.fileWriteNoPermission)
        }
        defer { _ = Self.run("umount", ["-l", path]) }
        try await body(disk)
    }

    private static func run(_ command: String, _ arguments: [String]) -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command] + arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
