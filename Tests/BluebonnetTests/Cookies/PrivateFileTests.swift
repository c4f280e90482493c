// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Bluebonnet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a process that is killed while it replaces a file leaves beside it.
@Suite(.timeLimit(.minutes(1))) struct PrivateFileTests {
    static let leftover = "cookies.txt.0123456789abc.partial"

    private let folder: TemporaryDirectory

    private var path: String { self.path("cookies.txt") }

    init() throws { self.folder = try TemporaryDirectory() }

    private func path(_ name: String) -> String { self.folder.file(name).path(percentEncoded: false) }

    private static func limit(_ resource: Resource, to count: UInt) throws {
        var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
        #if canImport(Glibc)
        let number = __rlimit_resource_t(resource == .core ? RLIMIT_CORE.rawValue : RLIMIT_FSIZE.rawValue)
        #else
        let number = resource == .core ? RLIMIT_CORE : RLIMIT_FSIZE
        #endif
        try #require(setrlimit(number, &limit) == 0)
    }

    private enum Resource {
        case core, fileSize
    }

    @Test(.bug(id: "F239")) func `what a process that is killed in a replacement leaves is removed by the next one`()
        async throws
    {
        let path = self.path
        await #expect(processExitsWith: .signal(SIGXFSZ)) { [path = path as String] in
            signal(SIGXFSZ, SIG_DFL)
            // The threads of Dispatch block it.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGXFSZ)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            try PrivateFileTests.limit(.core, to: 0)
            // The system kills a process that writes beyond the limit.
            try PrivateFileTests.limit(.fileSize, to: 4096)
            try PrivateFile.replace(path, with: [UInt8](repeating: 1, count: 100_000))
        }
        let names = try self.folder.names
        #expect(names.count == 1 && names.allSatisfy { $0.hasSuffix(".partial") }, "\(names)")
        try PrivateFile.replace(path, with: [1])
        #expect(try self.folder.names == ["cookies.txt"])
        #expect(try self.folder.contents("cookies.txt") == Data([1]))
    }

    @Test(
        .bug(id: "F239"),
        arguments: [
            (Self.leftover, true), ("cookies.txt.zzzzzzzzzzzz.partial", true), ("cookies.txt.partial", false),
            ("cookies.txt.old.partial", false), ("cookies.txt.0123456789abcd.partial", false),
            ("cookies.txt.0123456789ABC.partial", false), ("cookies.txt.0123456789ab-.partial", false),
            ("cookies.txt.0123456789abc.partial.bak", false), ("cookies.txt20123456789abc.partial", false),
            ("other.txt.0123456789abc.partial", false), (".cookies.txt.0123456789abc.partial", false),
        ]
    )
    func `only what a replacement of the same file has left is removed`(_ name: String, _ isRemoved: Bool) throws {
        try Data([1]).write(to: self.folder.file(name))
        try PrivateFile.replace(self.path, with: [2])
        #expect(try self.folder.names == (isRemoved ? ["cookies.txt"] : [name, "cookies.txt"].sorted()))
    }

    @Test(.bug(id: "F239"), arguments: ["link", "folder", "pipe"])
    func `only a regular file is removed`(_ kind: String) throws {
        let path = self.path(Self.leftover)
        switch kind {
        case "link": try #require(symlink("/nowhere", path) == 0)
        case "folder": try #require(mkdir(path, 0o700) == 0)
        default: try #require(mkfifo(path, 0o600) == 0)
        }
        try PrivateFile.replace(self.path, with: [2])
        #expect(try self.folder.names == ["cookies.txt", Self.leftover])
    }

    @Test(.bug(id: "F239")) func `a temporary file that somebody has locked is not removed`() throws {
        let name = Self.leftover
        try Data([1]).write(to: self.folder.file(name))
        let descriptor = open(self.path(name), O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        try PrivateFile.replace(self.path, with: [2])
        #expect(try self.folder.names == ["cookies.txt", name])
        try #require(flock(descriptor, LOCK_UN) == 0)
        try PrivateFile.replace(self.path, with: [3])
        #expect(try self.folder.names == ["cookies.txt"])
    }

    @Test(.bug(id: "F239")) func `a temporary file is locked until it is closed`() throws {
        let (temporary, descriptor) = try PrivateFile.makeTemporaryFile(for: self.path)
        defer { close(descriptor) }
        let name = URL(filePath: temporary).lastPathComponent
        #expect(PrivateFile.isTemporaryName(name, of: "cookies.txt"), "\(name)")
        PrivateFile.removeLeftovers(of: self.path)
        #expect(try self.folder.names == [name])
        // Not only closed: a process that is being started elsewhere may share the descriptor for a moment.
        try #require(flock(descriptor, LOCK_UN) == 0)
        PrivateFile.removeLeftovers(of: self.path)
        #expect(try self.folder.names.isEmpty)
    }
}
