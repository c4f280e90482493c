// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Output that goes into a file, and becomes visible under its name when the command has succeeded.
final class FileSink: OutputSink {
    private let file: Mutex<OutputFile>

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

    /// Removes what has not got its name.
    func discard() {
        self.file.withLock { $0.discard() }
    }
}
