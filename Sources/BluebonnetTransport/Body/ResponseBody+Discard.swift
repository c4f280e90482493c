// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension ResponseBody {
    /// Abandons the rest of a streamed body at once: its connection is closed, or its HTTP/2 stream reset.
    ///
    /// A reader that waits for bytes receives a `CancellationError`. A collected body, or one whose end has been read,
    /// is unaffected.
    public func abandon() {
        if case .streamed(let source, _) = self.storage { source.abandon() }
    }

    /// Reads and discards the rest of the body if it is short, so that its connection can be reused, and abandons it
    /// otherwise.
    ///
    /// Use it for the body of a redirect, or of a response before a retry. It waits no longer than
    /// ``Timeouts/responseBody`` between bytes. Cancelling the calling task abandons the body.
    ///
    /// - Parameter limit: The largest number of bytes to read. If the remaining length is known and exceeds it, nothing
    ///   is read.
    /// - Returns: Whether the end of the body was reached, so that the connection is kept if the server keeps it too;
    ///   true for a collected body.
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
