// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension ResponseBody {
    /// Gives the rest of a streamed body up, at once: its connection is closed, or its stream ended on HTTP/2.
    ///
    /// A reader that waits for bytes gets a `CancellationError`. A collected body, and one whose end has been read, stays as it is.
    public func abandon() {
        if case .streamed(let source, _) = self.storage { source.abandon() }
    }

    /// Reads and drops the rest of the body if little is left, so that its connection can be used again, and gives it up otherwise.
    ///
    /// For the body of a redirect, or of a response before another attempt. Waits for the bytes no longer than
    /// ``Timeouts/responseBody`` lets the server be silent. Cancelling the calling task gives the body up.
    ///
    /// - Parameter limit: The largest number of bytes to read. Where the length of the body is known and more is left, nothing is read.
    /// - Returns: Whether the end of the body was reached, so that the connection was kept if the server keeps it too; true for a body
    ///   that was collected.
    @discardableResult
    public func discard(upTo limit: Int) async -> Bool {
        guard case .streamed(let source, _) = self.storage else { return true }
        var left = Int64(limit)
        guard source.remainingByteCount ?? 0 <= left else {
            source.abandon()
            return false
        }
        do {
            while let bytes = try await source.next() {
                left -= Int64(bytes.readableBytes)
                guard left >= 0 else {
                    source.abandon()
                    return false
                }
            }
            return true
        } catch {
            return false
        }
    }
}
