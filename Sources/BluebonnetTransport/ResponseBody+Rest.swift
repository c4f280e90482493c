// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
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
    ///
    /// - Parameter converter: Converts the errors of the body.
    /// - Returns: The body; unchanged if it is streamed or empty.
    package func once(converting converter: any ErrorConverting) -> ResponseBody {
        guard case .collected(let buffer, let trailers) = self.storage, buffer.readableBytes > 0 else { return self }
        let source = ArrivedBody(buffer, trailers, converter)
        return ResponseBody(source: source, expectedLength: Int64(buffer.readableBytes))
    }
}

/// A body that has arrived whole and is read once.
private final class ArrivedBody: ResponseBody.Source, ErrorConverting {
    let trailers: HTTPFields?
    private let converter: any ErrorConverting
    /// Nil once they have been read.
    private let bytes: Mutex<ByteBuffer?>

    init(_ bytes: ByteBuffer, _ trailers: HTTPFields?, _ converter: any ErrorConverting) {
        self.trailers = trailers
        self.converter = converter
        self.bytes = Mutex(bytes)
    }

    var remainingByteCount: Int64? { self.bytes.withLock { Int64($0?.readableBytes ?? 0) } }

    func next() async throws -> ByteBuffer? { self.bytes.withLock { $0.take() } }

    func converted(_ error: TransportError) -> any Error { self.converter.converted(error) }
}
