// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Output that goes into a file, and becomes visible under its name when the command has succeeded, or failed behind what is to be kept.
final class FileSink: OutputSink {
    private let file: Mutex<OutputFile>
    /// Whether the file is kept when the command fails.
    private let isKeptPartially = Mutex(false)

    let isTerminal = false
    let columns = 80

    /// Creates the partial file.
    init(path: String) throws(CommandFailure) {
        self.file = Mutex(try OutputFile.open(path))
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        try self.file.withLock { (file) throws(CommandFailure) in try file.write(bytes) }
    }

    /// Gives the file its name.
    ///
    /// - Returns: The path it got.
    func commit() throws(CommandFailure) -> String {
        try self.file.withLock { (file) throws(CommandFailure) in
            try file.commit()
            return file.path
        }
    }

    func keepPartially() {
        self.isKeptPartially.withLock { $0 = true }
    }

    /// Gives the file its name if it is of use without what is missing, and removes it otherwise.
    ///
    /// - Throws: `CommandFailure` if it cannot get its name.
    func end() throws(CommandFailure) {
        if self.isKeptPartially.withLock({ $0 }) { _ = try self.commit() } else { self.discard() }
    }

    /// Removes what has not got its name.
    private func discard() {
        self.file.withLock { $0.discard() }
    }
}
