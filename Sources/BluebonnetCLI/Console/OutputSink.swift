// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Where a command writes: standard output, standard error, or a test's memory.
protocol OutputSink: Sendable {
    /// Whether it is a terminal.
    var isTerminal: Bool { get }

    /// The width of the terminal in columns; 80 where there is none.
    var columns: Int { get }

    /// The height of the terminal in rows; 24 where there is none.
    var rows: Int { get }

    /// The pixels of a character cell of the terminal; those of a usual font where it does not say.
    var cell: PictureBox { get }

    /// Writes all bytes, waiting as long as it takes.
    ///
    /// - Throws: `CommandFailure`, with `CommandStatus.outputClosed` when the reader has closed its end.
    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure)

    /// Tells that what has been written is of use without what is missing, as the beginning of an event stream is.
    func keepPartially()
}

extension OutputSink {
    var rows: Int { 24 }

    var cell: PictureBox { .cell }

    /// Does nothing: most outputs take nothing back.
    func keepPartially() {}

    /// Writes text as UTF-8.
    func write(_ text: String) throws(CommandFailure) {
        try self.write(bytes: Array(text.utf8))
    }

    /// Writes bytes.
    func write(bytes: [UInt8]) throws(CommandFailure) {
        // The closure of withUnsafeBytes does not carry the type of the error.
        let failure: CommandFailure? = bytes.withUnsafeBytes { buffer in
            do throws(CommandFailure) {
                try self.write(buffer)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }
}
