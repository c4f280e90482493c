// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetFiles

@Suite struct FileAllocationTests {
    /// Whether `/dev/shm` lies in memory, as it does on every usual system, and has room.
    private static let hasMemory: Bool = {
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        return mounts.split(separator: "\n").contains { $0.contains(" /dev/shm tmpfs ") }
    }()

    private func open(_ path: String) throws -> CInt {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        unlink(path)
        return descriptor
    }

    private func status(_ descriptor: CInt) -> stat {
        var status = stat()
        fstat(descriptor, &status)
        return status
    }

    @Test func `room is reserved on a disk, and the bytes that are there stay`() throws {
        let folder = try TestFolder()
        let descriptor = try self.open(folder.path + "/file")
        defer { close(descriptor) }
        #expect(Glibc.write(descriptor, "hello", 5) == 5)
        try allocateFile(descriptor, byteCount: 1 << 20)
        #expect(self.status(descriptor).st_size == 1 << 20)
        #expect(self.status(descriptor).st_blocks * 512 >= 1 << 20)
        var bytes = [UInt8](repeating: 0, count: 5)
        #expect(pread(descriptor, &bytes, 5, 0) == 5)
        #expect(bytes == Array("hello".utf8))
    }

    @Test(.enabled(if: hasMemory, "/dev/shm is not in memory"))
    func `a file in memory is not filled with zeros, and what has no room is refused`() throws {
        let descriptor = try self.open("/dev/shm/bluebonnet-\(UUID().uuidString)")
        defer { close(descriptor) }
        try allocateFile(descriptor, byteCount: 1 << 20)
        #expect(self.status(descriptor).st_size == 1 << 20)
        #expect(self.status(descriptor).st_blocks == 0)
        let error = #expect(throws: SystemError.self) { try allocateFile(descriptor, byteCount: 1 << 50) }
        #expect(error?.code == ENOSPC)
        #expect(self.status(descriptor).st_size == 1 << 20)
    }
}
