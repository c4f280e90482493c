// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A directory of a test's own, removed with everything in it when the test lets go.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        let name = "bluebonnet-\(UInt64.random(in: .min ... .max))"
        self.url = FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    func file(_ name: String) -> URL { self.url.appending(path: name, directoryHint: .notDirectory) }

    func makeFile(_ name: String, _ bytes: [UInt8]) throws -> URL {
        let url = self.file(name)
        try Data(bytes).write(to: url)
        return url
    }

    func resize(_ name: String, to byteCount: Int) throws {
        try #require(truncate(self.file(name).path(percentEncoded: false), byteCount) == 0)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: self.file(name))
    }

    /// Lets this process write no file beyond a size: the write that crosses it is short, those after it fail.
    func limitFileSize(to byteCount: Int) throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
        #if canImport(Glibc)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        #else
        try #require(setrlimit(RLIMIT_FSIZE, &limit) == 0)
        #endif
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.url.path(percentEncoded: false)).sorted()
    }

    /// Makes a link to itself.
    func makeLoop(_ name: String) throws -> URL {
        let url = self.file(name)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: url)
        return url
    }

    /// Makes a socket, a pipe or a directory.
    func makeNode(_ name: String, mode: mode_t) throws -> URL {
        let url = self.file(name)
        try #require(mknod(url.path(percentEncoded: false), mode | 0o600, 0) == 0)
        return url
    }
}
