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

/// A file that the demonstration sends, with what is known of it.
struct DemoFile: Sendable {
    var url: URL
    var byteCount: Int64
    var sha256: String
}

/// The temporary folder of the demonstration.
struct DemoFolder: Sendable {
    /// Its path, without a slash at the end.
    let path: String

    /// Makes the folder.
    ///
    /// - Throws: `CommandFailure` if the system refuses.
    init(_ console: Console) throws(CommandFailure) {
        let parent = console.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/bluebonnet-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .usage("cannot make a folder in \(parent): \(SystemError.text(of: errno)); name another with TMPDIR")
        }
        self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A place in the folder.
    func url(_ name: String) -> URL { URL(filePath: "\(self.path)/\(name)") }

    /// Writes the file that is sent.
    ///
    /// - Parameters:
    ///   - byteCount: Its size.
    ///   - console: Where progress is shown.
    /// - Returns: The file and its digest.
    /// - Throws: `CommandFailure` if there is no room; `CancellationError` when the task is cancelled.
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
            // Not from 0: what the server makes itself for a download begins there, and must not pass for what was sent.
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

    /// Removes the folder and what is in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: self.path)
    }
}
