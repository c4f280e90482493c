// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that the command line names.
enum LocalFile {
    /// The most that is read into memory: 256 MiB.
    ///
    /// Uploads are streamed and have no limit.
    static let embeddingLimit = 256 * 1024 * 1024

    /// The path with `~` written out; a shell does not do that after `name@`.
    static func expanded(_ path: String, home: String?) -> String {
        guard let home, path == "~" || path.hasPrefix("~/") else { return path }
        return home + path.dropFirst()
    }

    /// Makes sure that a file is there and can be read, before anything is sent.
    ///
    /// - Throws: `CommandFailure` that says why not.
    static func check(_ path: String) throws(CommandFailure) {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0 else {
            let reason = errno == ENOENT ? "there is no such file" : SystemError.text(errno)
            throw .usage("cannot read “\(path)”: \(reason)\(Self.hint(for: path))")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .usage("cannot read “\(path)”: it is a folder; name a file in it")
        default: throw .usage("cannot read “\(path)”: it is not a regular file; pipe it in through standard input")
        }
        guard access(path, R_OK) == 0 else {
            throw .usage("cannot read “\(path)”: \(SystemError.text(errno))")
        }
    }

    /// Reads a file whole.
    ///
    /// - Throws: `CommandFailure` if it cannot be read or is too large to be part of an item.
    static func bytes(_ path: String) throws(CommandFailure) -> [UInt8] {
        try Self.check(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .usage("cannot read “\(path)”: \(SystemError.text(errno))") }
        defer { close(descriptor) }
        let source = FileDescriptorSource(descriptor: descriptor)
        guard let size = source.remainingByteCount, size <= Int64(Self.embeddingLimit) else {
            throw .usage("“\(path)” is too large to be part of an item: send it as a body, with “@\(path)”")
        }
        var bytes: [UInt8] = []
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { chunk.deallocate() }
        while bytes.count <= Self.embeddingLimit {
            let count = try source.read(into: chunk)
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }

    /// Reads a file whole, as text.
    ///
    /// - Throws: `CommandFailure`, also if it is not UTF-8.
    static func text(_ path: String) throws(CommandFailure) -> String {
        guard let text = String(validating: try Self.bytes(path), as: UTF8.self) else {
            throw .usage("“\(path)” is not text in UTF-8: upload it with --form and “name@\(path)”")
        }
        return text
    }

    private static func hint(for path: String) -> String {
        path.hasPrefix("@") || path.contains("=") ? "; to send an “@” as it is, write “\\@”" : ""
    }
}

extension [UInt8] {
    /// The same bytes as the library takes them.
    var data: Data { Data(self) }
}
