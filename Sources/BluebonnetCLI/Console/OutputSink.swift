// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An output of a command: standard output, standard error, or memory in a test.
protocol OutputSink: Sendable {
    /// Whether it is a terminal.
    var isTerminal: Bool { get }

    /// The width of the terminal in columns; 80 if there is none.
    var columns: Int { get }

    /// The height of the terminal in rows; 24 if there is none.
    var rows: Int { get }

    /// The size of a character cell of the terminal in pixels; that of a common font if it is unknown.
    var cell: PictureBox { get }

    /// Whether it never waits for a reader: a file, or the null device.
    var isImmediate: Bool { get }

    /// Writes all bytes; waits as long as necessary.
    ///
    /// - Throws: `CommandFailure`, with `CommandStatus.outputClosed` if the reader has closed its end.
    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure)

    /// Marks the output so far as useful even if the rest is missing, such as the beginning of an event stream.
    func keepPartially()

    /// Leaves what a file holds already as it is if nothing is written to it.
    func keepEarlierContent()
}

extension OutputSink {
    var rows: Int { 24 }

    var isImmediate: Bool { false }

    var cell: PictureBox { .cell }

    /// Does nothing, because most sinks cannot discard what is written.
    func keepPartially() {}

    /// Does nothing, because most sinks hold nothing already.
    func keepEarlierContent() {}

    /// Writes text as UTF-8.
    func write(_ text: String) throws(CommandFailure) {
        try self.write(bytes: Array(text.utf8))
    }

    /// Writes bytes.
    func write(bytes: [UInt8]) throws(CommandFailure) {
        // The closure of withUnsafeBytes does not preserve the type of the error.
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
