// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file that the demonstration sends, with its size and digest.
struct DemoFile: Sendable {
    var url: URL
    var byteCount: Int64
    var sha256: String
}

/// The temporary folder of the demonstration.
struct DemoFolder: Sendable {
    /// The path of the folder, without a trailing slash.
    let path: String

    /// Creates the folder.
    ///
    /// - Throws: `CommandFailure` if the system call fails.
    init(_ console: Console) throws(CommandFailure) {
        let parent = console.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/bluebonnet-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .usage("cannot make a folder in \(parent): \(SystemError.text(of: errno)); name another with TMPDIR")
        }
        self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the URL of a file in the folder.
    func url(_ name: String) -> URL { URL(filePath: "\(self.path)/\(name)") }

    /// Creates the file that is sent.
    ///
    /// - Parameters:
    ///   - byteCount: Its size.
    ///   - console: The console on which progress is shown.
    /// - Returns: The file and its digest.
    /// - Throws: `CommandFailure` if the disk is full; `CancellationError` if the task is cancelled.
    @concurrent
    func makeFile(byteCount: Int64, console: Console) async throws -> DemoFile {
        let path = "\(self.path)/upload.bin"
        var file = try OutputFile.open(path)
        let display = ProgressDisplay(title: "Preparing", console: console)
        defer { display.finish() }
        var digest = Digest()
        var position: Int64 = 0
        while position < byteCount {
            try Task.checkCancellation()
            // The pattern does not start at 0, as the server's downloads do, so that the contents differ.
            let next = min(position + 1024 * 1024, byteCount)
            let piece = PatternBytes.bytes(in: (position + 1)..<(next + 1))
            try piece.withUnsafeBytes { bytes in
                digest.update(bytes)
                try file.write(bytes)
            }
            position = next
            display.note(position, of: byteCount)
        }
        try file.commit()
        return DemoFile(url: self.url("upload.bin"), byteCount: byteCount, sha256: digest.text)
    }

    /// Removes the folder and its contents.
    func remove() {
        try? FileManager.default.removeItem(atPath: self.path)
    }
}
