// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetFiles

@Suite struct FileReadingTests {
    @Test func `a regular file is read at any offset`() throws {
        let folder = try TestFolder()
        try folder.add("a", "0123456789")
        let file = try RegularFile(path: folder.path + "/a")
        #expect(try file.byteCount() == 10)
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 3) } == 4)
        #expect(bytes == Array("3456".utf8))
        #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 10) } == 0)
    }

    @Test(arguments: [
        ("", FileFault.invalidPath), ("/etc/hostname\u{0}x", .invalidPath), ("/", .directory), ("/dev/null", .special),
        ("/nonexistent", .system(SystemError(.inspect, ENOENT))),
        ("/etc/hostname/x", .system(SystemError(.inspect, ENOTDIR))),
    ])
    func `what is no regular file is refused with its reason`(_ path: String, _ fault: FileFault) {
        #expect(throws: fault) { try RegularFile(path: path) }
        #expect(throws: fault) { try RegularFile.byteCount(ofPath: path) }
    }

    @Test func `opening a named pipe does not wait for a writer`() throws {
        let folder = try TestFolder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(throws: FileFault.special) { try RegularFile(path: folder.path + "/pipe") }
    }

    @Test func `a whole file is read up to the limit and not beyond`() throws {
        let folder = try TestFolder()
        let content = String(repeating: "x", count: 200_000)
        try folder.add("a", content)
        #expect(try FileContent.read(folder.path + "/a", upTo: 200_000) == Array(content.utf8))
        #expect(throws: FileFault.tooLarge) { try FileContent.read(folder.path + "/a", upTo: 199_999) }
        #expect(throws: FileFault.invalidPath) { try FileContent.read("a\u{0}b", upTo: 1) }
        #expect(throws: FileFault.system(SystemError(.read, EISDIR))) { try FileContent.read("/", upTo: 1) }
    }

    @Test(.bug(id: "F600")) func `a named pipe is read to its end, however late its writer is`() async throws {
        let path = try TestFolder().path + ".pipe"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // A writer that has not written yet.
        let writer = open(path, O_RDWR | O_CLOEXEC)
        try #require(writer >= 0)
        // More than a pipe holds: the reader has begun before everything is written.
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let content = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try FileContent.read(path, upTo: 200_000) }) }
            Thread.detachNewThread {
                var rest = bytes[...]
                while !rest.isEmpty {
                    rest = rest.dropFirst(rest.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) })
                }
                close(writer)
            }
        }
        #expect(content == bytes)
    }
}

@Suite struct FileLocationTests {
    @Test(arguments: [
        ("a", ".", "a"), ("/a", "/", "a"), ("b/a", "b", "a"), ("/b/c/a", "/b/c", "a"), ("./a", ".", "a"),
        ("b//a", "b/", "a"), ("b/\u{301}a", "b", "\u{301}a"), ("b\u{301}/a", "b\u{301}", "a"),
    ])
    func `a path is split at its last slash`(_ path: String, _ directory: String, _ name: String) throws {
        let location = try #require(FileLocation(path: path))
        #expect(Array(location.directory.utf8) == Array(directory.utf8))
        #expect(Array(location.name.utf8) == Array(name.utf8))
    }

    @Test(arguments: ["", "/", "a/", ".", "..", "a/.", "a/..", "a\u{0}b"])
    func `a path without a file's name is refused`(_ path: String) {
        #expect(FileLocation(path: path) == nil)
    }

    @Test(arguments: ["b", "b/c/d", "b//c", "\u{301}b/\u{301}c"])
    func `missing directories are created`(_ directory: String) throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: "\(folder.path)/\(directory)/a"))
        try location.createDirectories(synchronizing: true)
        try location.createDirectories(synchronizing: true)
        var file = try AtomicFile(at: location)
        try file.commit(replacing: false, synchronizing: false)
        #expect(folder.text("\(directory)/a") == "")
    }

    @Test(.bug(id: "F603"), arguments: [0o333, 0o1333] as [mode_t])
    func `a file is created in a folder that may be written and not listed`(_ mode: mode_t) async throws {
        let folder = try TestFolder()
        try #require(chmod(folder.path, mode) == 0)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            // Root may list any folder, so the process becomes another user's.
            if geteuid() == 0, setuid(65_534) != 0 { return }
            do {
                for isDurable in [false, true] {
                    var file = try AtomicFile(at: try #require(FileLocation(path: "\(path)/\(isDurable)")))
                    try file.commit(replacing: true, synchronizing: isDurable)
                }
            } catch {
                exit(EXIT_FAILURE)
            }
        }
        try #require(chmod(folder.path, 0o755) == 0)
        #expect(folder.names == ["false", "true"])
    }

    @Test func `private directories are their owner's`() throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: "\(folder.path)/b/c/a"))
        try location.createDirectories(synchronizing: false, isPrivate: true)
        #expect([folder.mode("b"), folder.mode("b/c")] == [0o700, 0o700])
    }

    /// What is told is synchronized with the disk: the name of each directory in the one above it.
    @Test(.bug(id: "F342"), arguments: [("b", ["b"]), ("b/c/d", ["b", "b/c", "b/c/d"]), ("b//c", ["b", "b//c"])])
    func `each directory that is created is told once`(_ directory: String, _ created: [String]) throws {
        let folder = try TestFolder()
        let location = try #require(FileLocation(path: "\(folder.path)/\(directory)/a"))
        var told: [FileLocation] = []
        try location.createDirectories { told.append($0) }
        #expect(told.map(\.path) == created.map { "\(folder.path)/\($0)" })
        try location.createDirectories { told.append($0) }
        #expect(told.count == created.count)
        let failure = #expect(throws: SystemError.self) {
            try #require(FileLocation(path: "\(folder.path)/e/a")).createDirectories { (_) throws(SystemError) in
                throw SystemError(.synchronize, EIO)
            }
        }
        #expect(failure?.code == EIO)
    }
}

@Suite struct PercentDecodingTests {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("a%20b", "a b"), ("%e2%82%AC", "€"), ("100%25", "100%"), ("a+b", "a+b"),
        ("%2F\u{301}", "/\u{301}"),
    ])
    func `escapes become bytes`(_ encoded: String, _ decoded: String) throws {
        #expect(try PercentDecoding.decode(encoded) == decoded)
    }

    @Test func `a plus sign is a space where the caller says so`() throws {
        #expect(try PercentDecoding.decode("a+b%2B", plusIsSpace: true) == "a b+")
    }

    @Test(arguments: [
        ("%", PercentDecoding.Fault.escape(at: 0)), ("ab%2", .escape(at: 2)), ("%zz", .escape(at: 0)),
        ("%41%4\u{301}1", .escape(at: 3)), ("%FF", .encoding), ("%C3", .encoding),
    ])
    func `what is no escape of UTF-8 is refused`(_ text: String, _ fault: PercentDecoding.Fault) {
        #expect(throws: fault) { try PercentDecoding.decode(text) }
    }
}
