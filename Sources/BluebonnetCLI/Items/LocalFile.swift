// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials

/// A file that is named on the command line.
enum LocalFile {
    /// The most bytes that are read into memory: 256 MiB.
    ///
    /// Uploads are streamed and have no limit.
    static let embeddingLimit = 256 * 1024 * 1024

    /// Returns the path with `~` expanded; a shell does not expand it after `name@`.
    static func expanded(_ path: String, home: String?) -> String {
        guard let home, path == "~" || path.starts(withScalars: "~/") else { return path }
        return home + path.droppingScalars(1)
    }

    /// Checks that a file can be read, before anything is sent.
    ///
    /// - Throws: `CommandFailure` with the reason.
    static func check(_ path: String) throws(CommandFailure) {
        do throws(FileFault) {
            _ = try RegularFile(path: path)
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// Returns the body that sends a file: streamed, unless the file has bytes although its size is 0, as in `/proc`.
    ///
    /// - Throws: `CommandFailure` if it cannot be read.
    static func body(_ path: String) throws(CommandFailure) -> RequestBody {
        do throws(FileFault) {
            let bytes =
                try RegularFile(path: path).byteCount() == 0 ? FileContent.read(path, upTo: Self.embeddingLimit) : []
            return bytes.isEmpty ? .file(LiteralPath.url(path)) : .data(bytes.data)
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// Reads a complete file, or a pipe to its end, as in `name:=@<(command)`.
    ///
    /// - Throws: `CommandFailure` if it cannot be read or is too large to be part of an item.
    static func bytes(_ path: String) throws(CommandFailure) -> [UInt8] {
        if PipeFile.isPipe(path) { return try PipeFile.bytes(path, upTo: Self.embeddingLimit) }
        do throws(FileFault) {
            _ = try RegularFile(path: path)
            return try FileContent.read(path, upTo: Self.embeddingLimit)
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// Reads a complete file as text.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isField: Whether it is a field of a body, which can be an upload instead.
    /// - Returns: The text.
    /// - Throws: `CommandFailure` if it cannot be read or is not UTF-8.
    static func text(_ path: String, isField: Bool = false) throws(CommandFailure) -> String {
        guard let text = String(validating: try Self.bytes(path), as: UTF8.self) else {
            let advice = isField ? ": upload it with --form and “name@\(path)”" : ""
            throw .usage("“\(path)” is not text in UTF-8\(advice)")
        }
        return text
    }

    /// Returns the failure for a file that cannot be read.
    static func failure(_ fault: FileFault, _ path: String) -> CommandFailure {
        switch fault {
        case .directory: .usage("cannot read “\(path)”: it is a folder; name a file in it")
        case .special: .usage("cannot read “\(path)”: it is not a regular file; pipe it in through standard input")
        case .tooLarge: .usage("“\(path)” is too large to be part of an item: send it as a body, with “@\(path)”")
        case .invalidPath, .system: .usage("cannot read “\(path)”: \(fault.text)\(Self.hint(for: path))")
        }
    }

    private static func hint(for path: String) -> String {
        path.starts(withScalars: "@") || path.contains(scalar: "=") ? "; to send an “@” as it is, write “\\@”" : ""
    }
}

extension [UInt8] {
    /// The bytes as `Data`.
    var data: Data { Data(self) }
}
