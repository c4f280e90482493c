// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A sink that writes to a file, which appears under its name when the command succeeds, or fails after
/// ``keepPartially()``.
final class FileSink: OutputSink {
    private let file: Mutex<OutputFile>
    /// Whether the file is kept if the command fails.
    private let isKeptPartially = Mutex(false)
    /// Whether the file stays as it was if nothing is written.
    private let keepsEarlierContent = Mutex(false)

    let isTerminal = false
    let columns = 80
    let isImmediate = true

    /// Creates the temporary file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - option: The option that named the path, for error messages.
    ///   - isPrivate: Whether a new file is readable by its owner alone.
    /// - Throws: `CommandFailure` if it cannot be created.
    init(path: String, option: String = "--output", isPrivate: Bool = false) throws(CommandFailure) {
        self.file = Mutex(try OutputFile.open(path, option: option, isPrivate: isPrivate))
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        try self.file.withLock { (file) throws(CommandFailure) in try file.write(bytes) }
    }

    /// Makes the file appear under its name, unless nothing was written after ``keepEarlierContent()``.
    ///
    /// - Returns: The path of the file.
    func commit() throws(CommandFailure) -> String {
        let keepsEarlierContent = self.keepsEarlierContent.withLock { $0 }
        return try self.file.withLock { (file) throws(CommandFailure) in
            if keepsEarlierContent, !file.isWritten { file.discard() } else { try file.commit() }
            return file.path
        }
    }

    func keepPartially() {
        self.isKeptPartially.withLock { $0 = true }
    }

    func keepEarlierContent() {
        self.keepsEarlierContent.withLock { $0 = true }
    }

    /// Makes the file appear under its name if it is kept partially, and removes it otherwise.
    ///
    /// - Throws: `CommandFailure` if the file cannot be given its name.
    func end() throws(CommandFailure) {
        if self.isKeptPartially.withLock({ $0 }) { _ = try self.commit() } else { self.discard() }
    }

    /// Removes the temporary file.
    private func discard() {
        self.file.withLock { $0.discard() }
    }
}
