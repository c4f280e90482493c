// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A sink that replaces another one and drops what is written.
struct SilentSink: OutputSink {
    let isTerminal: Bool
    let columns: Int

    /// Creates a sink with the terminal properties of another one.
    init(of other: any OutputSink) {
        self.isTerminal = other.isTerminal
        self.columns = other.columns
    }

    func write(_ bytes: UnsafeRawBufferPointer) {}
}
