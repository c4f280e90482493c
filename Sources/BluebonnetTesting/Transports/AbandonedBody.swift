// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore
import Synchronization

/// The replay of a response body whose reader stopped before the end: the bytes that were read, then an error.
///
/// A program that stops where it stopped when it was recorded never gets the error.
final class AbandonedBody: ResponseBody.Source {
    /// What a reader gets that reads on.
    static let end = TransportError(
        .connectionClosed,
        phase: .responseBody,
        reason: "the recording ends here: when it was made, the reader of this response stopped before its end",
        isRequestSent: true
    )

    private let bytes: Mutex<ByteBuffer?>

    init(_ bytes: ByteBuffer) {
        self.bytes = Mutex(bytes.readableBytes > 0 ? bytes : nil)
    }

    func next() async throws -> ByteBuffer? {
        try Task.checkCancellation()
        guard let bytes = self.bytes.withLock({ $0.take() }) else { throw Self.end }
        return bytes
    }
}
