// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import NIOCore
import Synchronization

/// A body of which a part may have been read.
extension ResponseBody {
    /// What has not been read of this sequence, with the number of its bytes, as far as the source knows.
    package var rest: ResponseBody {
        guard case .streamed(let source, _) = self.storage, let count = source.remainingByteCount else { return self }
        return ResponseBody(source: source, expectedLength: count)
    }

    /// The same body, whose bytes are returned once even if it is collected.
    ///
    /// Whether a short body has arrived together with its head is chance: what a second iterator returns must not
    /// depend on it.
    package var once: ResponseBody {
        guard case .collected(let buffer, let trailers) = self.storage, buffer.readableBytes > 0 else { return self }
        return ResponseBody(source: ArrivedBody(buffer, trailers), expectedLength: Int64(buffer.readableBytes))
    }
}

extension ResponseBody {
    /// Reads the content of a body that is collected or has arrived whole, without waiting; nil for a streamed body.
    package func takeCollectedBytes() -> ByteBuffer? {
        switch self.storage {
        case .collected(let buffer, _): buffer
        case .streamed(let source, _): (source as? ArrivedBody)?.take()
        }
    }
}

/// A body that has arrived whole and is read once.
final class ArrivedBody: ResponseBody.Source {
    let trailers: HTTPFields?
    private let bytes: Mutex<ByteBuffer>

    init(_ bytes: ByteBuffer, _ trailers: HTTPFields?) {
        self.trailers = trailers
        self.bytes = Mutex(bytes)
    }

    /// What has not been read.
    var rest: ByteBuffer { self.bytes.withLock { $0 } }

    var remainingByteCount: Int64? { Int64(self.rest.readableBytes) }

    func next() async throws -> ByteBuffer? {
        let bytes = self.take()
        return bytes.readableBytes > 0 ? bytes : nil
    }

    func take() -> ByteBuffer {
        self.bytes.withLock { bytes in
            defer { bytes = ByteBuffer() }
            return bytes
        }
    }
}
